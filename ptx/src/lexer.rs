//! Words of a PTX text.
//!
//! A directive or modifier is one token with its dot (`.global`, `.L1::evict_last`); a name may begin with `%`, `$` or
//! `_`. Comments and white space are dropped. `add.rn.f32 %f1, 0f3F800000;` is the tokens `add` `.rn` `.f32` `%f1` `,`
//! `0f3F800000` `;`.

use crate::error::{Error, Place};

/// One word.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token<'a> {
    /// A name or an opcode.
    Word(&'a str),
    /// A directive or modifier, without its dot.
    Dot(&'a str),
    /// An integer of 64 bits.
    Integer(u64),
    /// The bits of a `0f` number.
    Single(u32),
    /// The bits of a `0d` number, or of one with a decimal point.
    Double(u64),
    /// Text between quotes.
    Text(&'a str),
    /// Any other character.
    Sign(char),
    /// The end of the text.
    End,
}

impl Token<'_> {
    /// How an error names it.
    pub(crate) fn describe(&self) -> String {
        match self {
            Token::Word(word) => format!("`{word}`"),
            Token::Dot(word) => format!("`.{word}`"),
            Token::Integer(value) => format!("`{value}`"),
            Token::Single(bits) => format!("`0f{bits:08X}`"),
            Token::Double(bits) => format!("`0d{bits:016X}`"),
            Token::Text(text) => format!("{text:?}"),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::End => "the end of the text".to_owned(),
        }
    }
}

/// All tokens of `text` with their places; the last one is [`Token::End`].
pub(crate) fn tokens(text: &str) -> Result<Vec<(Token<'_>, Place)>, Error> {
    let mut lexer = Lexer { text, at: 0, place: Place { line: 1, column: 1 } };
    let mut all = Vec::new();
    loop {
        lexer.skip_blank()?;
        let place = lexer.place;
        let token = lexer.token(place)?;
        let end = token == Token::End;
        all.push((token, place));
        if end {
            return Ok(all);
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    place: Place,
}

fn continues_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn advance(&mut self, bytes: usize) {
        for c in self.rest().get(..bytes).unwrap_or("").chars() {
            if c == '\n' {
                self.place.line += 1;
                self.place.column = 1;
            } else {
                self.place.column += 1;
            }
        }
        self.at += bytes;
    }

    fn skip_blank(&mut self) -> Result<(), Error> {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            if trimmed.len() < rest.len() {
                self.advance(rest.len() - trimmed.len());
            } else if rest.starts_with("//") {
                self.advance(rest.find('\n').unwrap_or(rest.len()));
            } else if rest.starts_with("/*") {
                let Some(end) = rest.find("*/") else {
                    return Err(Error::new(self.place, "this comment has no end"));
                };
                self.advance(end + 2);
            } else {
                return Ok(());
            }
        }
    }

    /// The longest prefix of the rest, after `skip` bytes, whose characters all satisfy `accept`.
    fn span(&self, skip: usize, accept: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest().get(skip..).unwrap_or("");
        let end = rest.find(|c| !accept(c)).unwrap_or(rest.len());
        &rest[..end]
    }

    fn token(&mut self, place: Place) -> Result<Token<'a>, Error> {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Ok(Token::End) };
        if first == '.' {
            let word = self.span(1, |c| continues_word(c) || c == ':');
            // `.L1::evict_last` has two colons; a single one belongs to a label.
            let mut end = 0;
            let bytes = word.as_bytes();
            while end < bytes.len() {
                if bytes[end] != b':' {
                    end += 1;
                } else if bytes.get(end + 1) == Some(&b':') && bytes.get(end + 2).is_some_and(|&b| b != b':') {
                    end += 2;
                } else {
                    break;
                }
            }
            let word = &word[..end];
            if word.is_empty() {
                return Err(Error::new(place, "expected a directive or modifier after `.`"));
            }
            self.advance(1 + word.len());
            return Ok(Token::Dot(word));
        }
        if first.is_ascii_alphabetic() || matches!(first, '_' | '$' | '%') {
            let word = self.span(1, continues_word);
            if word.is_empty() && matches!(first, '%' | '$') {
                self.advance(1);
                return Ok(Token::Sign(first));
            }
            let word = &rest[..1 + word.len()];
            self.advance(word.len());
            return Ok(Token::Word(word));
        }
        if first.is_ascii_digit() {
            return self.number(place);
        }
        if first == '"' {
            let inside = self.span(1, |c| c != '"' && c != '\n');
            if !rest[1 + inside.len()..].starts_with('"') {
                return Err(Error::new(place, "this text has no closing quote"));
            }
            self.advance(inside.len() + 2);
            return Ok(Token::Text(inside));
        }
        self.advance(first.len_utf8());
        Ok(Token::Sign(first))
    }

    fn number(&mut self, place: Place) -> Result<Token<'a>, Error> {
        let word = self.span(0, |c| c.is_ascii_alphanumeric());
        let wrong = |what: &str| Error::new(place, format!("`{word}` is no {what}"));
        let lower = word.to_ascii_lowercase();
        if let Some(digits) = lower.strip_prefix("0f") {
            let bits = u32::from_str_radix(digits, 16).ok().filter(|_| digits.len() == 8);
            let bits = bits.ok_or_else(|| wrong("number of single precision: `0f` wants eight hexadecimal digits"))?;
            self.advance(word.len());
            return Ok(Token::Single(bits));
        }
        if let Some(digits) = lower.strip_prefix("0d") {
            let bits = u64::from_str_radix(digits, 16).ok().filter(|_| digits.len() == 16);
            let bits = bits.ok_or_else(|| wrong("number of double precision: `0d` wants 16 hexadecimal digits"))?;
            self.advance(word.len());
            return Ok(Token::Double(bits));
        }
        // A decimal floating-point number: digits, a point, digits, perhaps an exponent.
        let decimal = self.span(0, |c| c.is_ascii_digit());
        if self.rest()[decimal.len()..].starts_with('.') {
            let fraction = self.span(decimal.len() + 1, |c| c.is_ascii_digit());
            let mut length = decimal.len() + 1 + fraction.len();
            let tail = &self.rest()[length..];
            if tail.starts_with(['e', 'E']) {
                let sign = usize::from(tail[1..].starts_with(['+', '-']));
                length += 1 + sign + self.span(length + 1 + sign, |c| c.is_ascii_digit()).len();
            }
            let number = &self.rest()[..length];
            let value: f64 = number.parse().map_err(|_| Error::new(place, format!("`{number}` is no number")))?;
            self.advance(length);
            return Ok(Token::Double(value.to_bits()));
        }
        let digits = lower.strip_suffix('u').unwrap_or(&lower);
        let value = if let Some(hex) = digits.strip_prefix("0x") {
            u64::from_str_radix(hex, 16)
        } else if let Some(binary) = digits.strip_prefix("0b") {
            u64::from_str_radix(binary, 2)
        } else if digits.len() > 1 && digits.starts_with('0') {
            u64::from_str_radix(digits, 8)
        } else {
            digits.parse()
        };
        let value = value.map_err(|_| wrong("integer of 64 bits"))?;
        self.advance(word.len());
        Ok(Token::Integer(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Token<'_>> {
        tokens(text).unwrap().into_iter().map(|(token, _)| token).collect()
    }

    #[test]
    fn an_instruction_in_words() {
        use Token::{Dot, End, Integer, Sign, Single, Word};
        assert_eq!(
            words("@%p1 ld.global.L1::evict_last.v2.b32 {%f1, _}, [%rd1+0x10]; // done\n$L: /* x */ 0f3F800000 010U"),
            [
                Sign('@'),
                Word("%p1"),
                Word("ld"),
                Dot("global"),
                Dot("L1::evict_last"),
                Dot("v2"),
                Dot("b32"),
                Sign('{'),
                Word("%f1"),
                Sign(','),
                Word("_"),
                Sign('}'),
                Sign(','),
                Sign('['),
                Word("%rd1"),
                Sign('+'),
                Integer(16),
                Sign(']'),
                Sign(';'),
                Word("$L"),
                Sign(':'),
                Single(0x3f80_0000),
                Integer(8),
                End,
            ]
        );
    }

    #[test]
    fn places_count_lines_and_columns() {
        let all = tokens("a\n  é b").unwrap();
        let places: Vec<(u32, u32)> = all.iter().map(|(_, p)| (p.line, p.column)).collect();
        assert_eq!(places, [(1, 1), (2, 3), (2, 5), (2, 6)]);
    }

    #[test]
    fn numbers() {
        assert_eq!(words("1.5")[0], Token::Double(1.5f64.to_bits()));
        assert_eq!(words("2.e3")[0], Token::Double(2000f64.to_bits()));
        assert_eq!(words("0b101")[0], Token::Integer(5));
        assert!(tokens("0f12").is_err());
        assert!(tokens("99999999999999999999").is_err());
        assert!(tokens("12ab").is_err());
        assert!(tokens("/* open").is_err());
        assert!(tokens("\"open").is_err());
    }
}
