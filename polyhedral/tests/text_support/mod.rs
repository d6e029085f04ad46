//! Composite objects written in many shapes: quoted and plain, block and flow, with tabs, comments, values over several
//! lines.

#![allow(dead_code, unreachable_pub, missing_docs, reason = "test support; the comparison with isl uses other parts")]

use std::fmt::Write;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Constraints,
    Accesses,
    Tree,
    Flow,
}

/// A value, independent of how it is written.
#[derive(Clone, Debug)]
pub enum Doc {
    /// A text in isl's notation.
    Object(&'static str),
    /// A number or a word.
    Word(&'static str),
    Map(Vec<(&'static str, Doc)>),
    List(Vec<Doc>),
}

/// How texts in isl's notation are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quotes {
    None,
    /// Without quotes, over several lines, with comments inside.
    Lines,
    Double,
    /// Lines that a backslash joins.
    Joined,
    /// In quotes over several lines.
    DoubleLines,
    Single,
    /// Behind `|`.
    Block,
}

/// How mappings and lists are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    Block,
    /// Braces, on one line.
    Flow,
    /// Braces, over lines.
    FlowLines,
    /// Block, with the lists in brackets.
    FlowLists,
}

/// A way to write a file.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub quotes: Quotes,
    pub layout: Layout,
    /// One level of indentation.
    pub indent: &'static str,
    pub decoration: Decoration,
}

/// What stands around the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decoration {
    None,
    /// Comments before, between and behind, and a line of options.
    Comments,
    /// Values begin on the line after their key.
    OwnLines,
    /// Keys in quotes, spaces before the colon, tabs behind it.
    Keys,
    /// Lines end with CR LF, lists begin in the column of their key.
    Crlf,
}

impl Shape {
    /// All ways.
    pub fn all() -> Vec<Shape> {
        use {Decoration as D, Layout as L, Quotes as Q};
        let mut shapes = Vec::new();
        for quotes in [Q::None, Q::Lines, Q::Double, Q::Joined, Q::DoubleLines, Q::Single, Q::Block] {
            for layout in [L::Block, L::Flow, L::FlowLines, L::FlowLists] {
                if quotes == Q::Block && layout != L::Block {
                    continue;
                }
                for indent in ["  ", " ", "    ", "\t"] {
                    for decoration in [D::None, D::Comments, D::OwnLines, D::Keys, D::Crlf] {
                        // What looks like a comment belongs to the lines behind `|`.
                        if quotes == Q::Block && decoration == D::Comments {
                            continue;
                        }
                        shapes.push(Shape { quotes, layout, indent, decoration });
                    }
                }
            }
        }
        shapes
    }

    /// Whether isl reads files of this shape. It has neither single quotes nor blocks of lines, no line ends inside
    /// quotes, and no plain objects in schedule trees.
    pub fn is_of_isl(self, kind: Kind) -> bool {
        match self.quotes {
            Quotes::None | Quotes::Lines => kind == Kind::Constraints || kind == Kind::Accesses,
            Quotes::Double => true,
            // isl joins lines at LF only.
            Quotes::Joined => self.decoration != Decoration::Crlf,
            Quotes::DoubleLines | Quotes::Single | Quotes::Block => false,
        }
    }

    /// The text of a file.
    pub fn write(self, doc: &Doc) -> String {
        let mut out = String::new();
        if self.decoration == Decoration::Comments {
            out += "# A comment with { and \" in it\n# OPTIONS: --no-schedule-outer-coincidence\n\n";
        }
        match self.layout {
            Layout::Flow | Layout::FlowLines => self.flow(doc, 0, &mut out),
            Layout::Block | Layout::FlowLists => self.block(doc, 0, &mut out),
        }
        if self.decoration == Decoration::Comments {
            out += " # the end\n";
        }
        out += "\n";
        if self.decoration == Decoration::Crlf { out.replace('\n', "\r\n") } else { out }
    }

    fn line(self, level: usize, out: &mut String) {
        if self.decoration == Decoration::Comments {
            out.push_str(if level.is_multiple_of(2) { " # and\n\n" } else { "\n# at the left\n" });
        } else {
            out.push('\n');
        }
        out.push_str(&self.indent.repeat(level));
    }

    fn key(self, key: &str, out: &mut String) {
        match self.decoration {
            Decoration::Keys => write!(out, "\"{key}\" :").unwrap(),
            _ => write!(out, "{key}:").unwrap(),
        }
    }

    fn gap(self, level: usize, out: &mut String) {
        match self.decoration {
            Decoration::OwnLines => {
                out.push('\n');
                out.push_str(&self.indent.repeat(level + 1));
            }
            Decoration::Keys => out.push('\t'),
            _ => out.push(' '),
        }
    }

    fn scalar(self, doc: &Doc, level: usize, out: &mut String) {
        let text = match doc {
            Doc::Word(word) => return out.push_str(word),
            Doc::Object(text) => *text,
            Doc::Map(_) | Doc::List(_) => return,
        };
        let lines = |with: &str| text.replace("; ", &format!(";{with}")).replace(" : ", &format!(" :{with}"));
        let deeper = format!("\n{}", self.indent.repeat(level + 1));
        let text = match self.quotes {
            Quotes::None => text.to_owned(),
            Quotes::Lines => lines(&format!(" # inside\n{}", self.indent)),
            Quotes::Double => format!("\"{text}\""),
            Quotes::Joined => format!("\"{}\"", lines("\\\n ")),
            Quotes::DoubleLines => format!("\"{}\"", lines(&deeper)),
            Quotes::Single => format!("'{}'", text.replace('\'', "''")),
            Quotes::Block => format!("|{deeper}{}", lines(&deeper)),
        };
        out.push_str(&text);
    }

    fn flow(self, doc: &Doc, level: usize, out: &mut String) {
        let separator = |out: &mut String, level: usize| {
            if self.layout == Layout::FlowLines {
                self.line(level, out);
            } else {
                out.push(' ');
            }
        };
        match doc {
            Doc::Map(pairs) => {
                out.push('{');
                for (k, (key, value)) in pairs.iter().enumerate() {
                    out.push_str(if k > 0 { "," } else { "" });
                    separator(out, level + 1);
                    self.key(key, out);
                    out.push(' ');
                    self.flow(value, level + 1, out);
                }
                separator(out, level);
                out.push('}');
            }
            Doc::List(items) => {
                out.push('[');
                for (k, item) in items.iter().enumerate() {
                    out.push_str(if k > 0 { "," } else { "" });
                    separator(out, level + 1);
                    self.flow(item, level + 1, out);
                }
                separator(out, level);
                out.push(']');
            }
            scalar => self.scalar(scalar, level, out),
        }
    }

    /// A value in block style; the cursor is where its first line begins.
    fn block(self, doc: &Doc, level: usize, out: &mut String) {
        match doc {
            Doc::Map(pairs) => {
                for (k, (key, value)) in pairs.iter().enumerate() {
                    if k > 0 {
                        self.line(level, out);
                    }
                    self.key(key, out);
                    match value {
                        Doc::Map(_) => {
                            self.line(level + 1, out);
                            self.block(value, level + 1, out);
                        }
                        Doc::List(items) if self.layout == Layout::Block => {
                            let level = if self.decoration == Decoration::Crlf { level } else { level + 1 };
                            for item in items {
                                self.line(level, out);
                                out.push('-');
                                // The keys of an entry stand in the column of its first one.
                                match item {
                                    Doc::Map(_) if self.decoration == Decoration::OwnLines || self.indent != "  " => {
                                        self.line(level + 1, out);
                                        self.block(item, level + 1, out);
                                    }
                                    _ => {
                                        out.push(' ');
                                        self.block(item, level + 1, out);
                                    }
                                }
                            }
                        }
                        Doc::List(_) => {
                            self.gap(level, out);
                            Shape { layout: Layout::Flow, ..self }.flow(value, level, out);
                        }
                        scalar => {
                            if self.quotes == Quotes::Block {
                                out.push(' ');
                            } else {
                                self.gap(level, out);
                            }
                            self.scalar(scalar, level, out);
                        }
                    }
                }
            }
            Doc::List(_) => Shape { layout: Layout::Flow, ..self }.flow(doc, level, out),
            scalar => self.scalar(scalar, level, out),
        }
    }
}

fn map(pairs: &[(&'static str, Doc)]) -> Doc {
    Doc::Map(pairs.to_vec())
}

/// The objects that are written.
pub fn contents() -> Vec<(Kind, Doc)> {
    use Doc::{List, Object as O, Word as W};
    let filter = |text, child: Option<Doc>| {
        let mut pairs = vec![("filter", O(text))];
        pairs.extend(child.map(|child| ("child", child)));
        Doc::Map(pairs)
    };
    let band = |text| map(&[("schedule", O(text))]);
    let tree = map(&[
        ("domain", O("[n] -> { S[i, j] : 0 <= i, j < n; T[i] : 0 <= i < n }")),
        (
            "child",
            map(&[
                ("context", O("[n] -> { [] : n >= 4 }")),
                (
                    "child",
                    map(&[(
                        "sequence",
                        List(vec![
                            filter(
                                "[n] -> { S[i, j] }",
                                Some(map(&[
                                    ("schedule", O("[n] -> [{ S[i, j] -> [(i)] }, { S[i, j] -> [(j)] }]")),
                                    ("permutable", W("1")),
                                    ("coincident", List(vec![W("1"), W("0")])),
                                    ("options", O("{ separate[0]; unroll[1] }")),
                                    (
                                        "child",
                                        map(&[("mark", O("a mark")), ("child", band("[{ S[i, j] -> [(i + j)] }]"))]),
                                    ),
                                ])),
                            ),
                            filter("{ T[i] }", Some(band("[n] -> L[{ T[i] -> [(n - i)] }]"))),
                        ]),
                    )]),
                ),
            ]),
        ),
    ]);
    let small = map(&[
        ("domain", O("{ A[i] : 0 <= i < 9; B[] }")),
        ("child", map(&[("set", List(vec![filter("{ A[i] }", None), filter("{ B[] }", None)]))])),
    ]);
    vec![
        (
            Kind::Constraints,
            map(&[
                ("domain", O("[n] -> { A[i] : 0 <= i < n; B[] }")),
                ("context", O("[n] -> { : n > 3 }")),
                ("validity", O("[n] -> { A[i] -> B[] : i < n; A[i] -> A[i + 1] : 0 <= i < n - 1 }")),
                ("proximity", O("{ A[i] -> B[] }")),
            ]),
        ),
        (
            Kind::Constraints,
            map(&[("domain", O("{ A[i]; B[] }")), ("validity", O("{ }")), ("coincidence", O("{ A[i] -> A[i] }"))]),
        ),
        (
            Kind::Constraints,
            map(&[
                ("domain", O("{ A[i, j] : 0 <= i, j <= 8; B[x] : exists (e : x = 2e) and 0 <= x <= 9 }")),
                ("context", O("[m] -> { [] : m mod 2 = 0 }")),
                ("condition", O("{ [A[i, j] -> r[]] -> [B[x] -> w[]] : x = i }")),
                ("conditional_validity", O("{ A[i, j] -> B[x] : x = j }")),
            ]),
        ),
        (
            Kind::Accesses,
            map(&[
                ("sink", O("{ [S1[] -> ref1[]] -> a[]; [S2[] -> ref2[]] -> b[] }")),
                ("must_source", O("{ [S1[] -> ref3[]] -> b[]; [S2[] -> ref4[]] -> a[] }")),
                ("schedule_map", O("{ S1[] -> [0]; S2[] -> [1] }")),
            ]),
        ),
        (
            Kind::Accesses,
            map(&[
                ("sink", O("[n] -> { S[i] -> A[i] : 0 <= i < n }")),
                ("may_source", O("[n] -> { T[i] -> A[i // 2] : 4 <= i < n }")),
                ("kill", O("{ S[i] -> A[i - 1] : i > 3 }")),
                ("schedule_map", O("{ T[i] -> [0, i]; S[i] -> [1, i] }")),
            ]),
        ),
        (Kind::Tree, tree),
        (Kind::Tree, small),
        (
            Kind::Tree,
            map(&[
                ("domain", O("{ S[i] : 0 <= i < 4 }")),
                (
                    "child",
                    map(&[
                        ("extension", O("{ [] -> T[j] : 0 <= j < 3 }")),
                        ("child", map(&[("sequence", List(vec![filter("{ T[j] }", None), filter("{ S[i] }", None)]))])),
                    ]),
                ),
            ]),
        ),
        (
            Kind::Tree,
            map(&[
                ("domain", O("{ S[i] }")),
                (
                    "child",
                    map(&[
                        ("contraction", O("{ A[i, j] -> S[(i)] }")),
                        ("expansion", O("{ S[i] -> A[i, j] : 0 <= j < 3 }")),
                        ("child", band("[{ A[i, j] -> [(i + j)] }]")),
                    ]),
                ),
            ]),
        ),
        (
            Kind::Flow,
            map(&[
                ("must_dependence", O("{ T[i] -> [S[i] -> A[i]] : i >= 4; T[0] -> [S[1] -> A[0]] }")),
                ("may_dependence", O("{ T[i] -> [S[i] -> A[i]] : i >= 4 }")),
                ("must_no_source", O("{ S[i] -> A[i] : i <= 3 }")),
                ("may_no_source", O("{ }")),
            ]),
        ),
    ]
}

/// A schedule tree inside a file of accesses.
pub fn accesses_with_tree() -> Doc {
    use Doc::{List, Object as O};
    let filter = |text| map(&[("filter", O(text))]);
    map(&[
        ("sink", O("{ [S1[] -> ref1[]] -> a[]; [S2[] -> ref2[]] -> b[] }")),
        ("must_source", O("{ [S1[] -> ref3[]] -> b[] }")),
        (
            "schedule",
            map(&[
                ("domain", O("{ S1[]; S2[] }")),
                ("child", map(&[("sequence", List(vec![filter("{ S1[] }"), filter("{ S2[] }")]))])),
            ]),
        ),
    ])
}
