import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { isAlive } from '../processes.ts';
import { fixture } from './fixture.ts';

export type Host = ChildProcessByStdio<Writable, Readable, null> & { readonly pid: number };

export interface Hosts {
  start(name: string, env: NodeJS.ProcessEnv): Host;
  close(): Promise<void>;
}

/** Compiles the host programs, which import our sources: Node 20 does not run TypeScript. */
export async function openHosts(): Promise<Hosts> {
  const outdir = fileURLToPath(new URL(`../.tmp/${randomUUID()}`, import.meta.url));
  const names = ['host', 'host-opens-guard-only', 'host-never-notifies-guard'];
  await build({
    entryPoints: names.map(fixture),
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'warning',
  });

  function start(name: string, env: NodeJS.ProcessEnv): Host {
    const args = [`${outdir}/${name}.mjs`, fixture('has-all-bad-habits')];
    // In its own process group, like a foreground job of a shell. Ctrl-C signals this group.
    const host = spawn(process.execPath, args, { env, detached: true, stdio: ['pipe', 'pipe', 'ignore'] });
    const { pid } = host;
    if (pid === undefined) throw new Error('the host did not start');
    return Object.assign(host, { pid });
  }

  return { start, close: () => rm(outdir, { recursive: true, force: true }) };
}

/** Returns the running guards of this process. */
export function guardsOf(parent: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && read(`/proc/${name}/cmdline`).includes('\0switchboard-guard\0'))
    .filter((pid) =>
      read(`/proc/${pid}/stat`)
        .replace(/^.*\) \S /s, '')
        .startsWith(`${parent} `),
    )
    .map(Number)
    .filter(isAlive);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // The process exited during the scan.
    return '';
  }
}
