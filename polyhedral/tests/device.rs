//! Trees with marks of kernels: their text, the rules for marks, and the code of host and kernels.

use tessera_polyhedral::ast::AstOptions;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::device::{Program, sites};
use tessera_polyhedral::schedule::{Launch, Mark, ScheduleTree};

fn budget() -> Budget {
    Budget::new(100_000_000)
}

fn tree(yaml: &str) -> ScheduleTree {
    ScheduleTree::from_yaml(yaml, &budget()).unwrap_or_else(|error| panic!("{error:#}\n{yaml}"))
}

#[test]
fn marks_are_their_text() {
    let launch = Launch { grid: vec![8, 16], block: vec![4, 32, 1], members: vec![0, 2] };
    for mark in [
        Mark::Kernel(launch),
        Mark::Kernel(Launch { grid: vec![], block: vec![], members: vec![] }),
        Mark::Threads(vec![1]),
        Mark::Barrier,
        Mark::Named("kernel".into()),
        Mark::Named("barrier".into()),
        Mark::Named("threads(of = [0])".into()),
    ] {
        assert_eq!(Mark::parse(&mark.to_string()), mark);
    }
    let text = include_str!("codegen/kernel.yaml");
    let tree = tree(text);
    assert_eq!(ScheduleTree::from_yaml(&tree.to_yaml(), &budget()).unwrap(), tree);
}

/// A band of two members below marks, the outermost mark first.
fn marked(marks: &[&str]) -> ScheduleTree {
    let mut yaml = String::from("domain: \"[n] -> { S[i, j] : 0 <= i, j < n }\"\nchild:\n");
    for (depth, mark) in marks.iter().enumerate() {
        let indent = " ".repeat(2 * (depth + 1));
        yaml += &format!("{indent}mark: \"{mark}\"\n{indent}child:\n");
    }
    let indent = " ".repeat(2 * (marks.len() + 1));
    yaml += &format!("{indent}schedule: \"[{{ S[i, j] -> [(i)] }}, {{ S[i, j] -> [(j)] }}]\"\n");
    tree(&yaml)
}

/// Every rule for marks, broken.
#[test]
fn rules() {
    let kernel = "kernel(grid = [2], block = [4], members = [0])";
    let single = "kernel(grid = [], block = [4], members = [])";
    for (marks, what) in [
        (&["threads(members = [0])"][..], "outside of a kernel"),
        (&["barrier()"], "outside of a kernel"),
        (&[kernel, kernel], "a kernel is inside of a kernel"),
        (&["kernel(grid = [1, 1, 1], block = [], members = [0, 1, 2])"], "at most two dimensions"),
        (&["kernel(grid = [], block = [1, 1, 1, 1], members = [])"], "a block at most three"),
        (&["kernel(grid = [0], block = [], members = [0])"], "there are no 0 blocks"),
        (&["kernel(grid = [2], block = [], members = [])"], "blocks share 0 members of a band in 1 dimensions"),
        (&["kernel(grid = [2], block = [], members = [2])"], "no different members of a band that has 2"),
        (&["kernel(grid = [2, 2], block = [], members = [1, 1])"], "no different members"),
        (&[single, "threads(members = [0, 1])"], "threads share 2 members of a band in 1 dimensions"),
        (&[single, "threads(members = [])"], "threads share 0 members"),
        (&[single, "threads(members = [0])", "barrier()"], "not all threads would come by"),
        (&[single, "threads(members = [0])", "threads(members = [1])"], "not all threads would come by"),
    ] {
        let tree = marked(marks);
        let error = sites(&tree).unwrap_err().to_string();
        assert!(error.contains(what), "{marks:?}: {error}");
        assert!(Program::new(&tree, None, &AstOptions::default(), &budget()).is_err());
    }
    assert_eq!(sites(&marked(&[kernel, "threads(members = [1])"])).unwrap().len(), 1);
    assert_eq!(sites(&marked(&["name"])).unwrap().len(), 0);
}

/// Blocks and threads of one band, and names that do not collide with those of the program.
#[test]
fn names_are_free() {
    let yaml = "
domain: \"[b0, t0] -> { kernel0[i, j] : 0 <= i < b0 and 0 <= j < t0 }\"
child:
  mark: \"kernel(grid = [2], block = [4], members = [0])\"
  child:
    mark: \"threads(members = [1])\"
    child:
      schedule: \"[{ kernel0[i, j] -> [(i)] }, { kernel0[i, j] -> [(j)] }]\"
";
    let program = Program::new(&tree(yaml), None, &AstOptions::default(), &budget()).unwrap();
    let expected = "\
__global__ void kernel1(int b0, int t0) {
  const int b1 = blockIdx.x;
  const int t1 = threadIdx.x;
  for (int c0 = b1; c0 <= b0 - 1; c0 += 2)
    for (int c1 = t1; c1 <= t0 - 1; c1 += 4)
      kernel0(c0, c1);
}

// host
if (t0 >= 1 && b0 >= 1)
  kernel1<<<dim3(2), dim3(4)>>>(b0, t0);
";
    assert_eq!(program.to_string(), expected);
}
