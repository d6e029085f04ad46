/* Uses SQLite as programs do: creates a table, fills it, asks. Prints the answers and the size of the database. */
#include <sqlite3.h>
#include <stdio.h>

static int print_row(void *unused, int count, char **values, char **names) {
    (void)unused;
    for (int i = 0; i < count; i++)
        printf("%s%s=%s", i ? " " : "", names[i], values[i] ? values[i] : "NULL");
    printf("\n");
    return 0;
}

static int run(sqlite3 *db, const char *sql) {
    char *message = NULL;
    if (sqlite3_exec(db, sql, print_row, NULL, &message) == SQLITE_OK)
        return 0;
    printf("error in %s: %s\n", sql, message);
    sqlite3_free(message);
    return 1;
}

int main(void) {
    sqlite3 *db;
    if (sqlite3_open(":memory:", &db) != SQLITE_OK)
        return 1;
    int failed = 0;
    failed |= run(db, "CREATE TABLE t(id INTEGER PRIMARY KEY, x REAL, name TEXT)");
    failed |= run(db, "CREATE INDEX by_name ON t(name, x DESC)");
    failed |= run(db, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) "
                      "INSERT INTO t SELECT i, i * 0.37 - (i % 17), printf('name-%04d', (i * 7919) % 1009) FROM n");
    failed |= run(db, "SELECT count(*), sum(x), min(name), max(name) FROM t");
    failed |= run(db, "SELECT name, count(*), round(avg(x), 9) FROM t GROUP BY name HAVING count(*) > 19 ORDER BY 3 DESC LIMIT 5");
    failed |= run(db, "UPDATE t SET x = x / 3 WHERE id % 5 = 0");
    failed |= run(db, "DELETE FROM t WHERE name LIKE '%99%'");
    failed |= run(db, "SELECT a.name, count(*) FROM t a JOIN t b ON a.name = b.name AND a.id < b.id WHERE a.x > 100 "
                      "GROUP BY a.name ORDER BY 2 DESC, 1 LIMIT 3");
    failed |= run(db, "SELECT json_group_array(x) FROM (SELECT x FROM t ORDER BY x LIMIT 4)");
    failed |= run(db, "PRAGMA integrity_check");
    sqlite3_close(db);
    return failed;
}
