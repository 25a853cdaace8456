#!/usr/bin/env node
// @ts-check
// Stands in for a browser: opens the address, its only argument, and follows redirects to the end. Writes down what it
// was given into the file that BROWSER_LOG names.
import { appendFileSync } from 'node:fs';

const args = process.argv.slice(2);
appendFileSync(process.env['BROWSER_LOG'] ?? '/dev/null', `${JSON.stringify(args)}\n`);
const response = await fetch(String(args[0]));
process.exitCode = response.ok ? 0 : 1;
