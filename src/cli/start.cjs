#!/usr/bin/env node
'use strict';

// A shell that completes a word starts us at every press of the key. Its question is answered by a file of its own;
// everything else is the command line itself.
const [, , command, shape] = process.argv;
if (command === 'completion' && (shape === '--words' || shape === '--line')) require('./completion/shell.js');
else require('./main.js');
