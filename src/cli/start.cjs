#!/usr/bin/env node
'use strict';

// A shell that completes a word starts us at every press of the key. Its question is answered without the loader of
// modules, which would cost more than the answer; everything else is the command line itself.
const [, , command, shape] = process.argv;
if (command === 'completion' && (shape === '--words' || shape === '--line')) require('./completion/shell.cjs');
else void import('./main.js');
