#!/usr/bin/env node
import { writeSync } from 'node:fs';
import { homedir } from 'node:os';
import { VERSION } from '../base/version.ts';
import type * as CommandLine from './command-line.ts';
import { locateCodeCache } from './startup/code-cache.ts';
import { createPartLoader } from './startup/part-loader.ts';

// The build bundles this file as CommonJS, next to the parts that it loads, and defines these names.
declare const require: (id: string) => unknown;
declare const BUILD_ID: string;

const { argv, env, platform } = process;
const [, , name, option] = argv;

/** A shell that completes a word starts us at every Tab, so its answer has a small part of its own. */
const isCompletion = name === 'completion' && (option === '--words' || option === '--line');

const asksForVersion = name === '--version' || name === '-v' || name === '-V';

if (isCompletion) createParts().load('completion/shell.js');
else if (!asksForVersion || !writeVersion()) runCommandLine();

/** Writes to stdout directly: creating its stream takes longer than all the rest. */
function writeVersion(): boolean {
  try {
    writeSync(1, `${VERSION}\n`);
    return true;
  } catch {
    // The disk is full or the pipe is closed: the command line tries again, and reports it.
    return false;
  }
}

function runCommandLine(): void {
  const parts = createParts();
  (parts.load('command-line.js') as typeof CommandLine).runCommandLine(parts);
}

function createParts() {
  return createPartLoader({
    root: import.meta.dirname,
    cache: locateCodeCache({ env, home: homedir(), platform, buildId: BUILD_ID }),
    outside: { require, import: (id) => import(id) },
  });
}
