import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach } from 'vitest';
import type { Message, TestServer } from './harness.ts';

export interface Offer {
  readonly tools: readonly unknown[];
  readonly mute?: boolean;
  readonly startMs?: number;
  readonly version?: string;
  /** `prompts/list` is declared, and answered with an error before anything else. */
  readonly failPrompts?: boolean;
  /** `prompts/list` is declared, and never answered. */
  readonly mutePrompts?: boolean;
  /** Every page of tools has the same next cursor. */
  readonly loops?: boolean;
}

/** Creates folders that are removed after each test. Call it before `gatewayHarness`: hooks run in reverse, and gateways write while they close. */
export function testFolders(): () => string {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  return () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-test-'));
    folders.push(folder);
    return folder;
  };
}

/** A server that lists the tools set by `offer`, from its next list or start on. */
export function serverFromFile(folder: string, name = 'offer'): TestServer & { offer(what: Offer): void } {
  const file = join(folder, `${name}.json`);
  const program = fileURLToPath(new URL('fixtures/tools-from-file.mjs', import.meta.url));
  return {
    command: process.execPath,
    args: [program, file],
    offer: (what) => writeFileSync(file, JSON.stringify(what)),
  };
}

export function tool(name: string, description = `Does ${name}`): object {
  return { name, description, inputSchema: { type: 'object' } };
}

/** Returns the text of the tool's result. */
export function answered({ result }: Message): { pid: number; version: string; tool: string; arguments: unknown } {
  return JSON.parse(result.content[0].text);
}
