//! The option grammar: keys, values, errors, precedence, help.

use tessera::options::{Door, GpuUse, Options, Position};
use tessera::phase::{Fault, Phase};

fn read(text: &str) -> Result<Options, String> {
    let mut options = Options::default();
    options.apply(text).map(|()| options).map_err(|error| error.to_string())
}

#[test]
fn keys_and_switches() {
    let options = read(" tile=32x64 ; unprofitable;;budget=1000;min-work=0;only=gemm;verify=off;print=yes ").unwrap();
    assert_eq!(options.tile, [32, 64]);
    assert!(options.unprofitable && options.print && !options.verify && !options.disable);
    assert_eq!((options.budget, options.min_work, options.only.as_deref()), (1000, 0, Some("gemm")));
    assert_eq!(read("").unwrap(), Options::default());
    assert_eq!(read("position=early").unwrap().position, Position::Early);
    assert!(read("position=late").unwrap_err().contains("vectorizer or early"));
    assert_eq!(read("tile=8,16").unwrap().tile, [8, 16]);
    assert!(read("tile=8;tile=auto").unwrap().tile.is_empty());
    let off = read(
        "time-tiling=off;simplify=off;reorder=no;interchange=0;tiling=false;distribution=off;live-ranges=off;copies=off;\
         hints=off",
    )
    .unwrap();
    assert!(!off.simplify && !off.reorder && !off.interchange && !off.tiling);
    assert!(!off.time_tiling && !off.distribution && !off.live_ranges && !off.copies && !off.hints);
    assert!(!Options::default().time && read("time").unwrap().time);
    assert!(!Options::default().full_tiles && read("full-tiles").unwrap().full_tiles);
    assert_eq!(read("fault=emit").unwrap().fault, Some(Fault::Panic(Phase::Emit)));
    assert_eq!(read("fault=invalid-code").unwrap().fault, Some(Fault::InvalidCode));
}

#[test]
fn a_gpu_is_a_word_or_a_generation() {
    let of = |text| read(text).map(|options| (options.gpu.when, options.gpu.architecture.name));
    assert_eq!(of(""), Ok((GpuUse::Off, "sm_70")));
    assert_eq!(of("gpu"), Ok((GpuUse::WhereFaster, "sm_70")));
    assert_eq!(of("gpu=on;gpu=off"), Ok((GpuUse::Off, "sm_70")));
    assert_eq!(of("gpu=sm_90"), Ok((GpuUse::WhereFaster, "sm_90")));
    assert_eq!(of("gpu=force;gpu=sm_80"), Ok((GpuUse::Always, "sm_80")));
    assert_eq!(of("gpu=sm_80;gpu=force"), Ok((GpuUse::Always, "sm_80")));
    assert!(of("gpu=sm_35").unwrap_err().contains("option 'gpu' cannot be 'sm_35': expected on, off, force, or"));
}

#[test]
fn targets_are_built_in_or_in_files() {
    let target = |text| read(text).unwrap().target.map(|target| target.name.clone());
    assert_eq!((target("target=avx2").as_deref(), target("target=avx2;target=auto")), (Some("avx2"), None));
    assert!(read("target=print").unwrap().print_target && !read("target=print;target=neon").unwrap().print_target);
    let error = read("target=avx3").unwrap_err();
    assert!(
        error.starts_with("option 'target' cannot be 'avx3': it is none of generic, avx2, avx512, neon, auto"),
        "{error}"
    );
    assert!(read("target").unwrap_err().contains("needs a value: expected NAME, FILE, auto or print"));
}

#[test]
fn strategies_are_built_in_or_in_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        format!("strategy={}", path.display())
    };
    let own = read(&file("own", "# no tiles\npermute(worthwhile = 90)\n")).unwrap().strategy;
    let own = own.on(None).unwrap();
    assert_eq!((own.steps().len(), own.worthwhile), (1, 90));
    // What a formula is, only a machine says.
    assert!(read(&file("formula", "tile(sizes = [l1 / 512])\n")).unwrap().strategy.asks());
    assert_eq!(read("strategy=auto").unwrap().strategy, read("").unwrap().strategy);
    assert!(read("strategy=print").unwrap().print_strategy);
    let error = read(&file("wrong", "permute()\ntile(sizes = [])")).unwrap_err();
    assert!(error.contains("line 2, column 6: expected sizes = a list of numbers from 1 to"), "{error}");
    assert!(
        read("strategy=nowhere").unwrap_err().contains("it is neither auto nor print, and no file that can be read")
    );
}

#[test]
fn unknown_keys_name_the_nearest() {
    let error = read("tyle=32").unwrap_err();
    assert_eq!(error, "unknown option 'tyle'; the nearest known one is 'tile' (help lists all)");
    assert!(read("min_work=3").unwrap_err().contains("'min-work'"));
    assert!(!read("faul").unwrap_err().contains("'fault'"), "hidden keys are not suggested");
}

#[test]
fn wrong_values_say_what_is_expected() {
    assert_eq!(
        read("tile=0").unwrap_err(),
        "option 'tile' cannot be '0': expected sizes from 1 to 1000000000, separated by 'x', or auto"
    );
    assert!(read("budget=-1").unwrap_err().contains("'-1'"));
    assert!(read("budget").unwrap_err().contains("needs a value"));
    assert!(read("disable=maybe").unwrap_err().contains("true or false"));
    assert!(read("fault=lunch").unwrap_err().contains("or none"));
}

#[test]
fn an_error_changes_nothing() {
    let mut options = Options::default();
    assert!(options.apply("disable;tile=x").is_err());
    assert_eq!(options, Options::default());
}

#[test]
fn later_doors_override_key_by_key() {
    let options = Options::from_doors(&[
        (Door::Environment, "tile=8;budget=5"),
        (Door::CommandLine, "tile=16;min-work=7"),
        (Door::PassParameters, "tile=32"),
    ])
    .unwrap();
    assert_eq!((options.tile.as_slice(), options.budget, options.min_work), ([32].as_slice(), 5, 7));
    let (door, _) = Options::from_doors(&[(Door::Environment, ""), (Door::CommandLine, "x")]).unwrap_err();
    assert_eq!(door, Door::CommandLine);
}

#[test]
fn help_lists_every_visible_key() {
    let help = Options::help_text();
    for key in [
        "disable",
        "only=TEXT",
        "tile=",
        "min-work=N",
        "min-bytes=N",
        "unprofitable",
        "budget=N",
        "verify",
        "print",
        "remarks",
        "internal-errors=remark, print or error",
        "help",
    ] {
        assert!(help.contains(key), "{key} missing in\n{help}");
    }
    assert!(!help.contains("fault="));
}
