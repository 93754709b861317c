/** Programs that start others, which must end with the test process. */

/** Ends the group unless a line says that it has ended. It is in a session of its own, which no signal to others reaches. */
const GUARD = ["setsid", "--fork", "--wait", "sh", "-c", 'read -r _ || kill -s KILL -- "-$1"', "sh"];

/**
 * Ends a group of processes when the process of the tests ends, however that happens. Bun kills all descendants when it
 * ends by itself, and its children when it is killed (`noOrphans` in bunfig.toml), but not theirs.
 * @param leader a child that was started with `setsid`, so that all that it starts is in its group
 */
export function endGroupWithTests(leader: Bun.Subprocess): void {
  const guard = Bun.spawn([...GUARD, String(leader.pid)], {
    stdin: "pipe",
    stdout: "ignore",
    stderr: "ignore",
  });
  void leader.exited.then(() => {
    guard.stdin.write("\n");
    guard.stdin.end();
  });
}
