/** Runs a program that builds a part of a release. @throws Error with its output if it fails */
export function run(command: readonly string[], cwd?: string): void {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { ...(cwd && { cwd }), stdin: "ignore" });
  if (exitCode !== 0) throw new Error(`${command[0]}: ${stdout}${stderr}`.trim());
}
