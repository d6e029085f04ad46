//! The functions that list rows (`plugin/shim/rows.ll`) against every pair of ranges compared with every other one, for random lists of one to four
//! families.

use tessera_tests::host::{Compilation, Host, Product};
use tessera_tests::plugin::workspace;
use tessera_tests::process::{Failure, Run};

/// Makes lists, asks them on the way and at the end, and compares. A row that comes again right behind itself is dropped where that may be. Prints whether there were many lists that
/// were apart, many that were not, and many ranges that a table or row overlapped; ends with 1 at the first wrong answer.
const MAIN: &str = r#"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
bool add(uint64_t **place, uint64_t start, uint64_t family) __asm__("tessera.rows.add");
bool near(uint64_t *list, uint64_t **place, uint64_t start, uint64_t family, uint64_t tables, uint64_t rows) __asm__("tessera.rows.near");
bool apart(uint64_t *list) __asm__("tessera.rows.apart");
enum { FAMILIES = 4, RANGES = 300, LISTS = 30000 };

static uint64_t *new_list(uint64_t most, uint64_t families) {
    uint64_t *list = calloc(4 + 3 * families + 2, 8);
    list[1] = 2;
    list[2] = most;
    list[3] = families;
    return list;
}

int main(void) {
    int counts[2] = {0, 0}, met = 0;
    srand(1);
    for (int at = 0; at < LISTS; at++) {
        uint64_t families = 1 + rand() % FAMILIES, count = rand() % (at % 100 ? 40 : RANGES);
        uint64_t *list = new_list(count, families);
        bool is_out[RANGES];
        uint64_t apart_from[FAMILIES][FAMILIES] = {{0}}, starts[RANGES], owners[RANGES], lengths[FAMILIES];
        for (uint64_t f = 0; f < families; f++)
            list[4 + 3 * f] = lengths[f] = 1 + rand() % (rand() % 8 ? 20 : 600);
        for (uint64_t f = 0; f < families; f++)
            for (uint64_t g = f; g < families; g++)
                if (rand() % 2) {
                    apart_from[f][g] = apart_from[g][f] = 1;
                    list[5 + 3 * f] |= 1ull << g;
                    list[5 + 3 * g] |= 1ull << f;
                }
        /* Some of the families are tables, some rows. */
        uint64_t tables = rand() % (1 << families), rows = rand() % (1 << families) & ~tables, *told = 0;
        int span = rand() % 3 ? 60000 : 900, is_sorted = rand() % 4 == 0;
        for (uint64_t i = 0; i < count; i++) {
            owners[i] = rand() % families;
            starts[i] = i && rand() % 20 == 0 ? starts[rand() % i] : is_sorted ? i * 20 : (uint64_t)rand() % span;
            bool is_there = false, is_met = false, is_table = tables >> owners[i] & 1;
            for (uint64_t j = 0; j < i; j++) {
                bool faces = (is_table ? rows : tables) >> owners[j] & 1 && !is_out[j];
                is_there = is_there || (is_table && starts[j] == starts[i] && owners[j] == owners[i] && !is_out[j]);
                is_met = is_met || (faces && apart_from[owners[i]][owners[j]] && starts[i] < starts[j] + lengths[owners[j]] && starts[j] < starts[i] + lengths[owners[i]]);
            }
            is_out[i] = is_met && !is_there;
            if ((tables | rows) >> owners[i] & 1 && near(list, &told, starts[i], owners[i], tables, rows) == is_out[i])
                return printf("what is near in list %d\n", at), 1;
            met += is_out[i];
            if (!add(&list, starts[i], owners[i]))
                return puts("a range that was not added"), 1;
        }
        bool expected = true;
        for (uint64_t i = 0; i < count; i++)
            for (uint64_t j = 0; j < i; j++)
                if (apart_from[owners[i]][owners[j]] && starts[i] < starts[j] + lengths[owners[j]] && starts[j] < starts[i] + lengths[owners[i]])
                    expected = false;
        if (apart(list) != expected)
            return printf("list %d\n", at), 1;
        counts[expected]++;
        free(list);
        free(told);
    }
    /* Too many, and too far up. */
    uint64_t *list = new_list(3, 1);
    for (int i = 0; i < 3; i++)
        if (!add(&list, 8 * i, 0))
            return puts("no room"), 1;
    if (add(&list, 100, 0))
        return puts("one too many"), 1;
    free(list);
    list = new_list(3, 1);
    if (!add(&list, (1ull << 55) - 1, 0) || add(&list, 1ull << 55, 0))
        return puts("addresses"), 1;
    uint64_t *told = 0;
    if (!near(list, &told, (1ull << 55) - 1, 0, 1, 0) || near(list, &told, 1ull << 55, 0, 1, 0))
        return puts("addresses of tables"), 1;
    free(told);
    free(list);
    printf("%d %d %d\n", counts[0] > LISTS / 10, counts[1] > LISTS / 10, met > LISTS / 10);
}
"#;

#[test]
fn lists_know_what_overlaps() -> Result<(), Failure> {
    let failure = |error: std::io::Error| Failure::new("row_list", error.to_string());
    let folder = tempfile::tempdir().map_err(failure)?;
    let text = workspace().join("plugin/shim/rows.ll");
    let text = std::fs::read_to_string(text).map_err(failure)?.replace("define internal", "define");
    let (functions, main) = (folder.path().join("rows.ll"), folder.path().join("main.c"));
    let (object, program) = (folder.path().join("rows.o"), folder.path().join("program"));
    std::fs::write(&functions, text).map_err(failure)?;
    std::fs::write(&main, MAIN).map_err(failure)?;
    let flags = ["-Wno-override-module"];
    Compilation::plain(Host::Clang).flags(&flags).compile(&functions, Product::Object, &object)?;
    let object = object.display().to_string();
    let flags = [object.as_str(), "-fsanitize=address,undefined"];
    Compilation::plain(Host::Clang).flags(&flags).compile(&main, Product::Executable, &program)?;
    let said = Run::new(&program).output()?.stdout;
    assert_eq!(String::from_utf8_lossy(&said), "1 1 1\n");
    Ok(())
}
