// @ts-check
// Reads one hidden line from its terminal, and says how long it is and whether the terminal is as before.
// Argument: the built module.
const { readPastedLine } = await import(String(process.argv[2]));

// The first step is done at once: from here on the terminal shows nothing.
const reading = readPastedLine(process.stdin, new AbortController().signal);
process.stdout.write('paste\n');
try {
  const line = await reading;
  process.stdout.write(`got ${line.length} raw ${process.stdin.isRaw}\n`);
} catch (error) {
  process.stdout.write(
    `${error instanceof Error && 'code' in error ? error.code : error} raw ${process.stdin.isRaw}\n`,
  );
}
