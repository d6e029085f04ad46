//! Every instruction form that the emulator knows, as a kernel of its own.
//!
//! A form is PTX that computes from `%h0 %r0 %d0` (the same operand in 16, 32 and 64 bits) and `1` and `2`, into `%h7`,
//! `%r7`, `%d7` or `%p7`. Memory forms use `%out` (eight bytes of global memory of this thread) and `%sh` (eight of
//! shared memory). `ptxas` accepts all of them; what a device computes is compared with the emulator bit for bit.

/// A kernel that computes `form` for every thread: `name(in, out)`, with 24 bytes of operands and eight of result for
/// each.
pub(crate) fn kernel(name: &str, form: &str) -> String {
    let result = ["%d7", "%r7", "%h7", "%p7"].into_iter().find(|r| form.contains(r)).expect("a form has a result");
    let widen = match result {
        "%d7" => "mov.b64 %d8, %d7;",
        "%r7" => "cvt.u64.u32 %d8, %r7;",
        "%h7" => "cvt.u64.u16 %d8, %h7;",
        _ => "selp.u64 %d8, 1, 0, %p7;",
    };
    let mut loads = String::new();
    for i in 0..3 {
        let at = i * 8;
        loads += &format!(
            "    ld.global.b16 %h{i}, [%in+{at}];\n    ld.global.b32 %r{i}, [%in+{at}];\n    ld.global.b64 %d{i}, [%in+{at}];\n"
        );
    }
    format!(
        ".visible .entry {name}(.param .u64 {name}_in, .param .u64 {name}_out)
{{
    .reg .pred %p<10>;
    .reg .b16 %h<10>;
    .reg .b32 %r<10>, %index, %t<4>;
    .reg .b64 %d<10>, %in, %out, %sh, %wide;
    .shared .align 8 .b8 {name}_shared[512];
    .local .align 8 .b8 {name}_local[16];
    mov.u32 %t0, %ctaid.x;
    mov.u32 %t1, %ntid.x;
    mov.u32 %t2, %tid.x;
    mad.lo.s32 %index, %t0, %t1, %t2;
    ld.param.u64 %in, [{name}_in];
    ld.param.u64 %out, [{name}_out];
    mul.wide.u32 %wide, %index, 24;
    add.s64 %in, %in, %wide;
    mul.wide.u32 %wide, %index, 8;
    add.s64 %out, %out, %wide;
    mul.wide.u32 %wide, %t2, 8;
    mov.u64 %sh, {name}_shared;
    add.s64 %sh, %sh, %wide;
{loads}    setp.lt.s32 %p1, %r2, 0;
    {form}
    {widen}
    st.global.u64 [%out], %d8;
    ret;
}}
"
    )
}

/// A module of all forms, as `f0`, `f1`, ...
pub(crate) fn module(forms: &[String]) -> String {
    let mut text = ".version 8.0\n.target sm_90\n.address_size 64\n".to_owned();
    for (i, form) in forms.iter().enumerate() {
        text += &kernel(&format!("f{i}"), form);
    }
    text
}

/// All forms.
pub(crate) fn forms() -> Vec<String> {
    let mut all = Vec::new();
    integers(&mut all);
    logic(&mut all);
    floats(&mut all);
    comparisons(&mut all);
    conversions(&mut all);
    moves(&mut all);
    memory(&mut all);
    warps(&mut all);
    all
}

/// The letter of registers of a type.
fn letter(ty: &str) -> char {
    match &ty[ty.len() - 2..] {
        "16" => 'h',
        "64" => 'd',
        "ed" => 'p',
        _ => 'r',
    }
}

fn form(name: &str, to: &str, from: &[&str]) -> String {
    let mut text = format!("{name} %{}7", letter(to));
    for (i, ty) in from.iter().enumerate() {
        text += &format!(", %{}{i}", letter(ty));
    }
    text + ";"
}

const INTEGERS: [&str; 6] = ["u16", "s16", "u32", "s32", "u64", "s64"];

fn integers(all: &mut Vec<String>) {
    for ty in INTEGERS {
        for name in ["add", "sub", "mul.lo", "mul.hi", "min", "max"] {
            all.push(form(&format!("{name}.{ty}"), ty, &[ty; 2]));
        }
        for name in ["mad.lo", "mad.hi", "sad"] {
            all.push(form(&format!("{name}.{ty}"), ty, &[ty; 3]));
        }
        // The divisor is made odd: a division by zero has no defined result.
        let (r, bits) = (letter(ty), &ty[1..]);
        for name in ["div", "rem"] {
            all.push(format!("or.b{bits} %{r}5, %{r}1, 1; {name}.{ty} %{r}7, %{r}0, %{r}5;"));
        }
        if ty.starts_with('s') {
            all.push(form(&format!("abs.{ty}"), ty, &[ty]));
            all.push(form(&format!("neg.{ty}"), ty, &[ty]));
        }
    }
    for (ty, wide) in [("u16", "u32"), ("s16", "s32"), ("u32", "u64"), ("s32", "s64")] {
        all.push(form(&format!("mul.wide.{ty}"), wide, &[ty; 2]));
        all.push(form(&format!("mad.wide.{ty}"), wide, &[ty, ty, wide]));
    }
    for ty in ["u32", "s32"] {
        for part in ["lo", "hi"] {
            all.push(form(&format!("mul24.{part}.{ty}"), ty, &[ty; 2]));
            all.push(form(&format!("mad24.{part}.{ty}"), ty, &[ty; 3]));
        }
    }
    for name in ["add.u16x2", "add.s16x2", "min.u16x2", "max.u16x2", "min.s16x2", "max.s16x2"] {
        all.push(form(name, "b32", &["b32"; 2]));
    }
    all.push(form("add.sat.s32", "s32", &["s32"; 2]));
    all.push(form("sub.sat.s32", "s32", &["s32"; 2]));
    all.push(form("mad.hi.sat.s32", "s32", &["s32"; 3]));
    for (ty, r) in [("u32", 'r'), ("s32", 'r'), ("u64", 'd'), ("s64", 'd')] {
        all.push(format!("add.cc.{ty} %{r}6, %{r}0, %{r}1; addc.{ty} %{r}7, %{r}1, %{r}2;"));
        all.push(format!("sub.cc.{ty} %{r}6, %{r}0, %{r}1; subc.{ty} %{r}7, %{r}1, %{r}2;"));
        all.push(format!("add.cc.{ty} %{r}6, %{r}0, %{r}1; addc.cc.{ty} %{r}5, %{r}1, %{r}2; addc.{ty} %{r}7, 0, 0;"));
        all.push(format!("sub.cc.{ty} %{r}6, %{r}0, %{r}1; subc.cc.{ty} %{r}5, %{r}1, %{r}2; subc.{ty} %{r}7, 0, 0;"));
    }
}

fn logic(all: &mut Vec<String>) {
    for ty in ["b16", "b32", "b64"] {
        for name in ["and", "or", "xor"] {
            all.push(form(&format!("{name}.{ty}"), ty, &[ty; 2]));
        }
        for name in ["not", "cnot"] {
            all.push(form(&format!("{name}.{ty}"), ty, &[ty]));
        }
        all.push(form(&format!("shl.{ty}"), ty, &[ty, "u32"]));
        all.push(form(&format!("shr.{ty}"), ty, &[ty, "u32"]));
    }
    all.push("setp.lt.s32 %p2, %r0, %r1; and.pred %p7, %p1, %p2;".into());
    all.push("setp.lt.s32 %p2, %r0, %r1; or.pred %p7, %p1, %p2;".into());
    all.push("setp.lt.s32 %p2, %r0, %r1; xor.pred %p7, %p1, %p2;".into());
    all.push("not.pred %p7, %p1;".into());
    for ty in INTEGERS {
        all.push(form(&format!("shr.{ty}"), ty, &[ty, "u32"]));
    }
    for ty in ["b32", "b64"] {
        all.push(form(&format!("popc.{ty}"), "u32", &[ty]));
        all.push(form(&format!("clz.{ty}"), "u32", &[ty]));
        all.push(form(&format!("brev.{ty}"), ty, &[ty]));
        all.push(form(&format!("bfi.{ty}"), ty, &[ty, ty, "u32"]).replace(';', ", 5;"));
        let r = letter(ty);
        all.push(format!("bfi.{ty} %{r}7, %{r}0, %{r}1, %r1, %r2;"));
        all.push(format!("bfi.{ty} %{r}7, %{r}0, %{r}1, 3, %r2;"));
    }
    for ty in ["u32", "s32", "u64", "s64"] {
        all.push(form(&format!("bfind.{ty}"), "u32", &[ty]));
        all.push(form(&format!("bfind.shiftamt.{ty}"), "u32", &[ty]));
        all.push(form(&format!("bfe.{ty}"), ty, &[ty, "u32", "u32"]));
    }
    for mode in ["wrap", "clamp"] {
        all.push(form(&format!("shf.l.{mode}.b32"), "b32", &["b32"; 3]));
        all.push(form(&format!("shf.r.{mode}.b32"), "b32", &["b32"; 3]));
        for ty in ["u32", "s32"] {
            all.push(form(&format!("szext.{mode}.{ty}"), ty, &[ty; 2]));
        }
        all.push(form(&format!("bmsk.{mode}.b32"), "b32", &["b32"; 2]));
    }
    for mode in ["", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"] {
        all.push(form(&format!("prmt.b32{mode}"), "b32", &["b32"; 3]));
    }
    for table in [0, 0x1e, 0x6a, 0x80, 0x96, 0xca, 0xfe, 0xff] {
        all.push(form("lop3.b32", "b32", &["b32"; 3]).replace(';', &format!(", {table};")));
    }
    for ty in ["b16", "b32", "b64", "u16", "s16", "u32", "s32", "u64", "s64", "f32", "f64"] {
        let r = letter(ty);
        all.push(format!("selp.{ty} %{r}7, %{r}0, %{r}1, %p1;"));
        all.push(format!("slct.{ty}.s32 %{r}7, %{r}0, %{r}1, %r2;"));
        all.push(format!("slct.{ty}.f32 %{r}7, %{r}0, %{r}1, %r2;"));
    }
}

fn floats(all: &mut Vec<String>) {
    for ty in ["f32", "f64"] {
        for name in ["add.rn", "sub.rn", "mul.rn", "div.rn", "min", "max", "copysign"] {
            all.push(form(&format!("{name}.{ty}"), ty, &[ty; 2]));
        }
        all.push(form(&format!("fma.rn.{ty}"), ty, &[ty; 3]));
        all.push(form(&format!("mad.rn.{ty}"), ty, &[ty; 3]));
        for name in ["sqrt.rn", "rcp.rn", "neg", "abs"] {
            all.push(form(&format!("{name}.{ty}"), ty, &[ty]));
        }
        for what in ["finite", "infinite", "number", "notanumber", "normal", "subnormal"] {
            all.push(form(&format!("testp.{what}.{ty}"), "pred", &[ty]));
        }
    }
    all.push(form("min.NaN.f32", "f32", &["f32"; 2]));
    all.push(form("max.NaN.f32", "f32", &["f32"; 2]));
    for name in ["add.rn", "sub.rn", "mul.rn", "min", "max"] {
        all.push(form(&format!("{name}.f16"), "f16", &["f16"; 2]));
    }
    for name in ["add.rn", "sub.rn", "mul.rn", "min", "max"] {
        all.push(form(&format!("{name}.f16x2"), "b32", &["b32"; 2]));
    }
    all.push(form("fma.rn.f16x2", "b32", &["b32"; 3]));
    all.push(form("neg.f16x2", "b32", &["b32"]));
    all.push(form("abs.f16x2", "b32", &["b32"]));
    all.push(form("fma.rn.f16", "f16", &["f16"; 3]));
    all.push(form("neg.f16", "f16", &["f16"]));
    all.push(form("abs.f16", "f16", &["f16"]));
    for name in ["add.rn", "sub.rn", "mul.rn"] {
        all.push(form(&format!("{name}.bf16"), "f16", &["f16"; 2]));
    }
    all.push(form("fma.rn.bf16", "f16", &["f16"; 3]));
    all.push(form("neg.bf16", "f16", &["f16"]));
    all.push(form("abs.bf16", "f16", &["f16"]));
}

const FLOAT_COMPARISONS: [&str; 14] =
    ["eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"];

fn comparisons(all: &mut Vec<String>) {
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    for ty in ["b16", "b32", "b64"] {
        pairs.extend(["eq", "ne"].map(|name| (name, ty)));
    }
    for ty in ["s16", "s32", "s64"] {
        pairs.extend(["eq", "ne", "lt", "le", "gt", "ge"].map(|name| (name, ty)));
    }
    for ty in ["u16", "u32", "u64"] {
        pairs.extend(["eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"].map(|name| (name, ty)));
    }
    for ty in ["f16", "f32", "f64"] {
        pairs.extend(FLOAT_COMPARISONS.map(|name| (name, ty)));
    }
    for (name, ty) in pairs {
        let r = letter(ty);
        all.push(form(&format!("setp.{name}.{ty}"), "pred", &[ty; 2]));
        if ty != "f16" && !ty.starts_with('b') {
            all.push(format!("set.{name}.u32.{ty} %r7, %{r}0, %{r}1;"));
            all.push(format!("set.{name}.f32.{ty} %r7, %{r}0, %{r}1;"));
        }
    }
    for combine in ["and", "or", "xor"] {
        for not in ["", "!"] {
            all.push(format!("setp.lt.{combine}.s32 %p7, %r0, %r1, {not}%p1;"));
            all.push(format!(
                "setp.ltu.{combine}.f32 %p3|%p4, %r0, %r1, {not}%p1; selp.u32 %r4, 1, 0, %p3; selp.u32 %r5, 2, 0, %p4; or.b32 %r7, %r4, %r5;"
            ));
        }
    }
    all.push(
        "setp.eq.f64 %p3|%p4, %d0, %d1; selp.u32 %r4, 1, 0, %p3; selp.u32 %r5, 2, 0, %p4; or.b32 %r7, %r4, %r5;".into(),
    );
}

fn conversions(all: &mut Vec<String>) {
    all.push(
        "setp.lt.f16x2 %p3|%p4, %r0, %r1; selp.u32 %r4, 1, 0, %p3; selp.u32 %r5, 2, 0, %p4; or.b32 %r7, %r4, %r5;"
            .into(),
    );
    let integers = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"];
    // Registers of at least 16 bits, and wider ones.
    let registers = |ty: &str| -> &'static [char] {
        match &ty[1..] {
            "8" | "16" => &['h', 'r', 'd'],
            "32" => &['r', 'd'],
            _ => &['d'],
        }
    };
    for to in integers {
        for from in integers {
            for &d in registers(to) {
                for &a in registers(from) {
                    all.push(format!("cvt.{to}.{from} %{d}7, %{a}0;"));
                }
            }
            let bits = |ty: &str| ty[1..].parse::<u32>().expect("a width");
            let holds = match (&to[..1], &from[..1]) {
                ("u", "s") => false,
                ("s", "u") => bits(to) > bits(from),
                _ => bits(to) >= bits(from),
            };
            if !holds {
                all.push(format!("cvt.sat.{to}.{from} %{}7, %{}0;", registers(to)[0], registers(from)[0]));
            }
        }
        for (float, a) in [("f16", 'h'), ("f32", 'r'), ("f64", 'd')] {
            for rounding in ["rni", "rzi", "rmi", "rpi"] {
                all.push(format!("cvt.{rounding}.{to}.{float} %{}7, %{a}0;", registers(to)[0]));
            }
            all.push(format!("cvt.rzi.sat.{to}.{float} %{}7, %{a}0;", registers(to)[0]));
            for rounding in ["rn", "rz", "rm", "rp"] {
                if float != "f16" || rounding == "rn" {
                    all.push(format!("cvt.{rounding}.{float}.{to} %{a}7, %{}0;", registers(to)[0]));
                }
            }
        }
        // Wider destinations of conversions from floats.
        if to.ends_with('8') || to.ends_with("16") {
            all.push(format!("cvt.rzi.{to}.f32 %r7, %r0;"));
            all.push(format!("cvt.rzi.{to}.f64 %d7, %d0;"));
        }
    }
    for rounding in ["rn", "rz", "rm", "rp"] {
        all.push(format!("cvt.{rounding}.f32.f64 %r7, %d0;"));
        all.push(format!("cvt.{rounding}.sat.f32.f64 %r7, %d0;"));
    }
    for rounding in ["rn", "rz"] {
        all.push(format!("cvt.{rounding}.f16.f32 %h7, %r0;"));
        all.push(format!("cvt.{rounding}.bf16.f32 %h7, %r0;"));
        all.push(format!("cvt.{rounding}.f16x2.f32 %r7, %r0, %r1;"));
        all.push(format!("cvt.{rounding}.bf16x2.f32 %r7, %r0, %r1;"));
    }
    all.push("cvt.rn.f16.f64 %h7, %d0;".into());
    all.push("cvt.f32.f16 %r7, %h0;".into());
    all.push("cvt.f64.f16 %d7, %h0;".into());
    all.push("cvt.f32.bf16 %r7, %h0;".into());
    all.push("cvt.f64.f32 %d7, %r0;".into());
    all.push("cvt.sat.f32.f32 %r7, %r0;".into());
    all.push("cvt.sat.f64.f64 %d7, %d0;".into());
    for (ty, r) in [("f32", 'r'), ("f64", 'd')] {
        for rounding in ["rni", "rzi", "rmi", "rpi"] {
            all.push(format!("cvt.{rounding}.{ty}.{ty} %{r}7, %{r}0;"));
        }
        all.push(format!("cvt.rni.sat.{ty}.{ty} %{r}7, %{r}0;"));
    }
}

fn moves(all: &mut Vec<String>) {
    all.push("mov.b64 %d7, {%r0, %r1};".into());
    all.push("mov.b64 %d7, {%h0, %h1, %h2, %h0};".into());
    all.push("mov.b32 %r7, {%h0, %h1};".into());
    all.push("mov.b64 {%r6, %r7}, %d0;".into());
    all.push("mov.b64 {_, %r7}, %d0;".into());
    all.push("mov.b32 {%h7, %h6}, %r0;".into());
    all.push("mov.b64 {%h6, %h5, %h7, %h4}, %d0;".into());
    all.push("mov.pred %p7, %p1;".into());
    all.push("@%p1 add.s32 %r0, %r0, 17; @!%p1 xor.b32 %r0, %r0, %r1; mov.u32 %r7, %r0;".into());
    for register in ["%tid.x", "%tid.y", "%ntid.x", "%ctaid.x", "%nctaid.x", "%laneid", "%lanemask_lt", "%lanemask_ge"]
    {
        all.push(format!("mov.u32 %r7, {register};"));
    }
    for register in ["%lanemask_eq", "%lanemask_le", "%lanemask_gt"] {
        all.push(format!("mov.u32 %r6, {register}; xor.b32 %r7, %r6, %r0;"));
    }
}

fn memory(all: &mut Vec<String>) {
    for space in ["global", "shared"] {
        let address = if space == "global" { "%out" } else { "%sh" };
        for ty in ["u32", "s32", "u64", "s64"] {
            let (r, bits) = (letter(ty), &ty[1..]);
            for name in ["add", "min", "max"] {
                all.push(format!(
                    "st.{space}.b{bits} [{address}], %{r}0; atom.{space}.{name}.{ty} %{r}6, [{address}], %{r}1; ld.{space}.b{bits} %{r}5, [{address}]; xor.b{bits} %{r}7, %{r}5, %{r}6;"
                ).replace("atom.global.add.s64", "atom.global.add.u64").replace("atom.shared.add.s64", "atom.shared.add.u64"));
            }
        }
        for ty in ["b32", "b64"] {
            let r = letter(ty);
            for name in ["and", "or", "xor", "exch"] {
                all.push(format!(
                    "st.{space}.{ty} [{address}], %{r}0; atom.{space}.{name}.{ty} %{r}6, [{address}], %{r}1; ld.{space}.{ty} %{r}7, [{address}];"
                ));
            }
            all.push(format!(
                "st.{space}.{ty} [{address}], %{r}0; and.{ty} %{r}4, %{r}1, 3; atom.{space}.cas.{ty} %{r}6, [{address}], %{r}4, %{r}2; ld.{space}.{ty} %{r}5, [{address}]; xor.{ty} %{r}7, %{r}5, %{r}6;"
            ));
        }
        for name in ["inc", "dec"] {
            all.push(format!(
                "st.{space}.b32 [{address}], %r0; atom.{space}.{name}.u32 %r6, [{address}], %r1; ld.{space}.b32 %r7, [{address}];"
            ));
        }
        for (ty, r, bits) in [("f32", 'r', 32), ("f64", 'd', 64)] {
            all.push(format!(
                "st.{space}.b{bits} [{address}], %{r}0; red.{space}.add.{ty} [{address}], %{r}1; ld.{space}.b{bits} %{r}7, [{address}];"
            ));
        }
        // Narrow loads into wider registers.
        for (ty, d) in [
            ("u8", 'h'),
            ("s8", 'h'),
            ("b8", 'h'),
            ("s8", 'r'),
            ("u8", 'r'),
            ("s16", 'r'),
            ("u16", 'd'),
            ("s16", 'd'),
            ("s32", 'd'),
            ("s8", 'd'),
            ("u32", 'd'),
            ("b32", 'd'),
        ] {
            all.push(format!("st.{space}.b64 [{address}], %d0; ld.{space}.{ty} %{d}7, [{address}+4];"));
        }
        all.push(format!("st.{space}.b64 [{address}], %d0; st.{space}.u8 [{address}+3], %r1; st.{space}.b16 [{address}+6], %d2; ld.{space}.v2.b32 {{%r5, %r6}}, [{address}]; xor.b32 %r7, %r5, %r6;"));
        all.push(format!(
            "st.{space}.v4.b16 [{address}], {{%h0, %h1, %h2, %h0}}; ld.volatile.{space}.b64 %d7, [{address}];"
        ));
        all.push(format!("st.relaxed.cta.{space}.v2.b32 [{address}], {{%r0, %r1}}; membar.cta; fence.acq_rel.gpu; ld.acquire.gpu.{space}.b64 %d7, [{address}];"));
        all.push(format!("cvta.{space}.u64 %d5, {address}; isspacep.{space} %p5, %d5; st.b64 [%d5], %d0; cvta.to.{space}.u64 %d6, %d5; ld.{space}.b64 %d4, [%d6]; selp.b64 %d7, %d4, 0, %p5;"));
    }
    all.push("st.shared.b64 [%sh], %d0; bar.sync 0; xor.b64 %d5, %d1, %d1; mov.u32 %r5, %tid.x; xor.b32 %r6, %r5, 63; sub.s32 %r6, %r6, %r5; mul.wide.s32 %d6, %r6, 8; add.s64 %d6, %d6, %sh; ld.shared.b64 %d7, [%d6]; bar.sync 0;".into());
    all.push("barrier.cta.red.popc.aligned.u32 %r7, 0, %p1;".into());
    all.push("barrier.cta.red.and.aligned.pred %p7, 1, 64, !%p1;".into());
    all.push("barrier.cta.red.or.pred %p7, 3, %p1; barrier.sync 2; barrier.sync.aligned 2, 64;".into());
}

fn warps(all: &mut Vec<String>) {
    for mode in ["up", "down", "bfly", "idx"] {
        for clamp in ["31", "0", "0x1c03", "0x1800", "%r2"] {
            // A shuffle upwards into a lane of another segment is good only where the clamp says so.
            all.push(format!(
                "shfl.sync.{mode}.b32 %r6|%p5, %r0, %r1, {clamp}, -1; selp.b32 %r5, 1, 0, %p5; cvt.u64.u32 %d5, %r5; cvt.u64.u32 %d6, %r6; shl.b64 %d5, %d5, 32; or.b64 %d7, %d5, %d6;"
            ));
        }
    }
    for mode in ["all", "any", "uni"] {
        all.push(format!("vote.sync.{mode}.pred %p7, %p1, 0xffffffff;"));
        all.push(format!("vote.sync.{mode}.pred %p7, !%p1, 0xffffffff;"));
    }
    all.push("vote.sync.ballot.b32 %r7, %p1, 0xffffffff;".into());
    for name in ["add.u32", "min.s32", "max.s32", "min.u32", "max.u32", "and.b32", "or.b32", "xor.b32"] {
        all.push(format!("redux.sync.{name} %r7, %r0, 0xffffffff;"));
    }
    all.push("and.b32 %r5, %r0, 3; match.any.sync.b32 %r7, %r5, 0xffffffff;".into());
    all.push("and.b64 %d5, %d0, 5; match.any.sync.b64 %r7, %d5, 0xffffffff;".into());
    all.push("and.b32 %r5, %r0, 0; match.all.sync.b32 %r6|%p5, %r5, 0xffffffff; selp.b32 %r7, %r6, 7, %p5;".into());
    all.push("match.all.sync.b32 %r6|%p5, %r0, 0xffffffff; selp.b32 %r7, %r6, 7, %p5;".into());
    all.push("bar.warp.sync 0xffffffff; mov.u32 %r7, %r0;".into());
}
