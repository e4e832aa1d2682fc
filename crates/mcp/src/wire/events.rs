//! Messages on a stream of server-sent events: one an event.

use std::io;

use super::outgoing::Outgoing;
use super::raw_message::{MessageSpool, RawMessage};

/// How much is kept of a line that is no data.
const LONGEST_FIELD: usize = 64 * 1024;

/// One event.
#[derive(Debug)]
pub(crate) struct Event {
    /// All of it, as it came.
    pub(crate) raw: RawMessage,
    /// Its data; none where it has none.
    pub(crate) data: Option<RawMessage>,
    /// Its id, by which a stream is taken up again.
    pub(crate) id: Option<String>,
    /// Its lines that are no data.
    fields: Vec<u8>,
}

impl Event {
    /// Hands the event to `take`, in chunks, with `message` as its data.
    pub(crate) fn with(&self, message: &Outgoing, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        take(&self.fields)?;
        take(b"data: ")?;
        message.chunks(|chunk| match memchr::memchr2(b'\n', b'\r', chunk) {
            None => take(chunk),
            // Between the tokens of JSON a line end is as good as a space.
            Some(_) => take(
                &chunk.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte }).collect::<Vec<_>>(),
            ),
        })?;
        take(b"\n\n")
    }
}

/// What a line of the stream is.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum EventLine {
    /// Too little of it is there.
    #[default]
    Unknown,
    Data,
    Other,
}

/// Cuts a stream into events, of any size, whose bytes are pushed in any chunks.
#[derive(Debug, Default)]
pub(crate) struct Events {
    raw: MessageSpool,
    data: Option<MessageSpool>,
    id: Option<String>,
    fields: Vec<u8>,
    line: EventLine,
    /// The beginning of the line; all of it where it is no data.
    head: Vec<u8>,
}

impl Events {
    /// Takes the next bytes in; the events that end in them go to `out`.
    pub(crate) fn push(&mut self, bytes: &[u8], out: &mut Vec<Event>) -> io::Result<()> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let end = memchr::memchr(b'\n', rest);
            let (part, behind) = rest.split_at(end.map_or(rest.len(), |end| end + 1));
            rest = behind;
            self.raw.push(part)?;
            let text = if end.is_some() { part.get(..part.len() - 1).unwrap_or_default() } else { part };
            self.take(text, end.is_some())?;
            if end.is_some() {
                out.extend(self.end_line()?);
            }
        }
        Ok(())
    }

    fn take(&mut self, text: &[u8], ends: bool) -> io::Result<()> {
        match self.line {
            EventLine::Data => return self.add(text),
            EventLine::Other => self.head.extend(text.iter().take(LONGEST_FIELD.saturating_sub(self.head.len()))),
            EventLine::Unknown => {
                self.head.extend_from_slice(text);
                if self.head.len() < 6 && !ends {
                    return Ok(());
                }
                let head = std::mem::take(&mut self.head);
                match head.strip_prefix(b"data:") {
                    Some(data) => {
                        self.line = EventLine::Data;
                        if let Some(spool) = &mut self.data {
                            spool.push(b"\n")?;
                        }
                        return self.add(data.strip_prefix(b" ").unwrap_or(data));
                    }
                    None => {
                        self.line = EventLine::Other;
                        self.head = head;
                        self.head.truncate(LONGEST_FIELD);
                    }
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, data: &[u8]) -> io::Result<()> {
        self.data.get_or_insert_default().push(data)
    }

    /// The end of a line; an empty one ends an event.
    fn end_line(&mut self) -> io::Result<Option<Event>> {
        let line = std::mem::take(&mut self.line);
        let head = std::mem::take(&mut self.head);
        let text = head.strip_suffix(b"\r").unwrap_or(&head);
        if line == EventLine::Data {
            return Ok(None);
        }
        if !text.is_empty() {
            if let Some(id) = text.strip_prefix(b"id:") {
                self.id = Some(String::from_utf8_lossy(id).trim().to_owned());
            }
            self.fields.extend_from_slice(text);
            self.fields.push(b'\n');
            return Ok(None);
        }
        let Events { raw, data, id, fields, .. } = std::mem::take(self);
        Ok(Some(Event { raw: raw.finish(), data: data.map(MessageSpool::finish), id, fields }))
    }

    /// What is left when the stream has ended: no event, but bytes that came.
    pub(crate) fn rest(self) -> RawMessage {
        self.raw.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(raw_message: &RawMessage) -> String {
        String::from_utf8(raw_message.read(0..raw_message.len()).unwrap().into_owned()).unwrap()
    }

    const STREAM: &str = ": hello\n\nid: 7\nevent: message\ndata: {\"a\":1}\n\ndata:{\"b\":\ndata: 2}\r\nretry: 5\r\n\r\nid: 8\ndata:\n\nda";

    #[test]
    fn events_are_told_apart_in_any_chunks() {
        for size in 1..STREAM.len() {
            let (mut events, mut found) = (Events::default(), Vec::new());
            STREAM.as_bytes().chunks(size).for_each(|chunk| events.push(chunk, &mut found).unwrap());
            let data: Vec<Option<String>> = found.iter().map(|event| event.data.as_ref().map(text)).collect();
            let data: Vec<Option<&str>> = data.iter().map(Option::as_deref).collect();
            assert_eq!(data, [None, Some("{\"a\":1}"), Some("{\"b\":\n2}\r"), Some("")], "chunks of {size}");
            assert_eq!(found[1].id.as_deref(), Some("7"));
            let raw: String = found.iter().map(|event| text(&event.raw)).collect();
            assert_eq!(raw + &text(&events.rest()), STREAM);
        }
    }

    #[test]
    fn a_changed_event_keeps_its_other_lines() {
        let (mut events, mut found) = (Events::default(), Vec::new());
        events.push(STREAM.as_bytes(), &mut found).unwrap();
        let mut out = Vec::new();
        found[1]
            .with(&Outgoing::own("{\n\"c\":3}".to_owned()), |chunk| {
                out.extend_from_slice(chunk);
                Ok(())
            })
            .unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "id: 7\nevent: message\ndata: { \"c\":3}\n\n");
    }
}
