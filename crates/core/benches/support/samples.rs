//! Texts to measure on: a service's log and a service's source, made by recipe.

use std::fmt::Write as _;

/// A small generator: the same text every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// A log of about `bytes` bytes.
pub(crate) fn log(bytes: usize) -> String {
    let mut dice = Dice(1);
    let mut text = String::with_capacity(bytes + 512);
    let levels = ["INFO ", "INFO ", "INFO ", "DEBUG", "WARN ", "ERROR"];
    while text.len() < bytes {
        let time = dice.below(86_400);
        let level = levels[dice.below(6) as usize];
        let _ = write!(
            text,
            "2026-11-15T{:02}:{:02}:{:02}.{:03}Z {level} ",
            time / 3600,
            time / 60 % 60,
            time % 60,
            dice.below(1000)
        );
        let _ = match dice.below(8) {
            0 => writeln!(
                text,
                "http-nio-8080-exec-{} c.a.orders.OrderService : order {} accepted for customer {} in {} ms",
                dice.below(16),
                dice.below(99_999),
                dice.below(9_999),
                dice.below(400)
            ),
            1 => writeln!(
                text,
                "GET https://api.example.com/v1/users/{}/orders?limit=50&page={} 200 {}b",
                dice.below(9_999),
                dice.below(40),
                dice.below(20_000)
            ),
            2 => writeln!(
                text,
                "worker[{}]: retrying job {:08x}-{:04x}-{:04x}-{:04x}-{:012x} after timeout",
                dice.below(64),
                dice.below(1 << 31),
                dice.below(1 << 16),
                dice.below(1 << 16),
                dice.below(1 << 16),
                dice.below(1 << 31)
            ),
            3 => {
                writeln!(text, "cache miss key=user:{} region=eu-west-1 took={}us", dice.below(9_999), dice.below(900))
            }
            4 => writeln!(
                text,
                "    at com.acme.orders.persistence.JdbcOrderRepository.findByCustomer(JdbcOrderRepository.java:{})",
                dice.below(400)
            ),
            5 => writeln!(
                text,
                "session token expired for user {} from 10.{}.{}.{}",
                dice.below(9_999),
                dice.below(255),
                dice.below(255),
                dice.below(255)
            ),
            6 => writeln!(
                text,
                "pulled image registry.example.com/orders@sha256:{:016x}{:016x}{:016x}{:016x}",
                dice.below(1 << 31),
                dice.below(1 << 31),
                dice.below(1 << 31),
                dice.below(1 << 31)
            ),
            _ => writeln!(
                text,
                "kernel: [{}.{:06}] usb 1-1: new high-speed USB device number {} using xhci_hcd",
                dice.below(99_999),
                dice.below(999_999),
                dice.below(32)
            ),
        };
    }
    text
}

/// Source code of about `bytes` bytes.
pub(crate) fn code(bytes: usize) -> String {
    let mut dice = Dice(2);
    let mut text = String::with_capacity(bytes + 512);
    let names = [
        "order",
        "customer_account",
        "token",
        "key",
        "request_context",
        "password_field",
        "buffer",
        "authorization_header",
    ];
    while text.len() < bytes {
        let (a, b) = (names[dice.below(8) as usize], names[dice.below(8) as usize]);
        let _ = match dice.below(6) {
            0 => writeln!(
                text,
                "    pub fn {a}_by_{b}(&self, {a}: &str, limit: usize) -> Result<Vec<{}>, Error> {{",
                dice.below(100)
            ),
            1 => writeln!(text, "        let {a} = self.{b}.get(\"{a}\").ok_or_else(|| Error::missing(\"{b}\"))?;"),
            2 => writeln!(
                text,
                "        // The {a} is looked up by its {b}, which may be absent in old records ({}).",
                dice.below(1000)
            ),
            3 => writeln!(
                text,
                "        if {a} == {b} && self.key_of({a}) != Some({}) {{ return Err(Error::Mismatch {{ key: {b} }}); }}",
                dice.below(1000)
            ),
            4 => writeln!(text, "    assert_eq!(token, Token::new({b}, {}));\n", dice.below(1000)),
            _ => writeln!(text, "import {{ {a}Service, {b}Repository }} from '../../services/{a}/{b}.service';"),
        };
    }
    text
}

/// `text` in chunks of 64 KiB, as a pipe delivers it.
pub(crate) fn chunks(text: &str) -> impl Iterator<Item = &str> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let end = text.floor_char_boundary(at + (64 << 10));
        let chunk = text.get(at..end).filter(|chunk| !chunk.is_empty())?;
        at = end;
        Some(chunk)
    })
}
