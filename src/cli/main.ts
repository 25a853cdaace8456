#!/usr/bin/env node
import { homedir } from 'node:os';
import type * as CommandLine from './command-line.ts';
import { locateCodeCache } from './startup/code-cache.ts';
import { createPartLoader } from './startup/part-loader.ts';

// The build bundles this file as CommonJS, next to the parts that it loads, and defines these names.
declare const require: (id: string) => unknown;
declare const BUILD_ID: string;

const { argv, env, platform } = process;
const parts = createPartLoader({
  root: import.meta.dirname,
  cache: locateCodeCache({ env, home: homedir(), platform, buildId: BUILD_ID }),
  outside: { require, import: (id) => import(id) },
});

/** A shell that completes a word starts us at every Tab, so its answer has a small part of its own. */
const isCompletion = argv[2] === 'completion' && (argv[3] === '--words' || argv[3] === '--line');
if (isCompletion) parts.load('completion/shell.js');
else (parts.load('command-line.js') as typeof CommandLine).runCommandLine(parts);
