/** cross-spawn ships no types; this is the one call that we make, on Windows only. */
declare module 'cross-spawn' {
  import type { ChildProcess, SpawnOptions } from 'node:child_process';

  const spawn: (command: string, args: readonly string[], options: SpawnOptions) => ChildProcess;
  // biome-ignore lint/style/noDefaultExport: this is the shape of the foreign module.
  export default spawn;
}
