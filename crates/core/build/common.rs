//! How common bytes are in what tools print.

/// How common two letters in a row are, a blank before `a` counted as one: the logarithm, counted in manuals, sources and
/// logs.
const PAIRS: [&[u8; 27]; 27] = [
    b"987877767844777774788667453",
    b"726763362614878161888554352",
    b"462336220551622520563610251",
    b"572437317517843831557511131",
    b"764358342711432631445522240",
    b"875776753532868365888355751",
    b"762335511700432750635511030",
    b"742317135500435430653411011",
    b"661118020601332612737300020",
    b"456766661212769851578250505",
    b"220015000101010310040200000",
    b"541116121600212210131204210",
    b"683358732811723751265631151",
    b"675247121512753671254411120",
    b"876777572624424741378541341",
    b"645673651424678570866756231",
    b"581547325512622650756511250",
    b"210000000000400001210501000",
    b"772659461704456740667543150",
    b"851538326703433684588623161",
    b"873588428812673761867635372",
    b"455546440501667350767110201",
    b"360107110500111310011000000",
    b"451115015601113530541104000",
    b"431524101400131150136110210",
    b"622215120301463460464112011",
    b"230005000300110200010000011",
];

/// What a byte is: the place of a letter or a blank in [`PAIRS`], a figure or a sign that is [`USUAL`], or another one.
static CLASSES: [u8; 256] = {
    let mut classes = [USUAL + 1; 256];
    let usual = b"0123456789\"'-:=./_,";
    let mut at = 0;
    while at < usual.len() {
        classes[usual[at] as usize] = USUAL;
        at += 1;
    }
    let mut letter = 0;
    while letter < 26 {
        classes[(b'a' + letter) as usize] = letter + 1;
        classes[(b'A' + letter) as usize] = letter + 1;
        letter += 1;
    }
    classes[b' ' as usize] = 0;
    classes
};

/// The class of figures and of signs that are everywhere.
const USUAL: u8 = 27;

/// How common three bytes in a row are, of which the first two and the last two are as common as [`pair`] says.
pub(super) fn commonness(first: u32, last: u32) -> u32 {
    1 << (first + last)
}

/// The logarithm of how common two bytes in a row are, whatever their case, roughly.
pub(super) fn pair(a: u8, b: u8) -> u32 {
    let (one, other) = (CLASSES[usize::from(a)], CLASSES[usize::from(b)]);
    let listed = PAIRS.get(usize::from(one)).and_then(|row| row.get(usize::from(other)));
    if let Some(digit) = listed.filter(|_| one > 0) {
        return u32::from(digit - b'0');
    }
    // Indentation and rules.
    if a == b {
        return 9;
    }
    // What stands between the names and the values of JSON.
    if matches!(&[a, b], b"\":" | b": " | b" \"" | b"\"," | b", ") {
        return 8;
    }
    match listed {
        Some(digit) => u32::from(digit - b'0'),
        None if one.max(other) == USUAL => 5,
        None => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_english_and_programs_are_made_of_is_common() {
        let of = |&[a, b, c]: &[u8; 3]| commonness(pair(a, b), pair(b, c));
        assert!(of(b"ing") > of(b"psw") && of(b"THE") > of(b"pwd") && of(b"---") > of(b"-wx"));
        assert!(of(b"\": ") > of(b"psw") && of(b"\", ") > of(b"'; "));
        assert_eq!(of(b"The"), of(b"tHE"));
    }
}
