/**
 * The line of stderr that says most about why a process ended. Usually its last; but runtimes put a trace and their own
 * version after the line that matters.
 */
export function tellingLine(lines: readonly string[]): string | undefined {
  const spoken = lines.filter((line) => line.trim() !== '' && !NOISE.test(line));
  return (
    spoken.findLast((line) => ERROR.test(line)) ??
    spoken.at(-1) ??
    lines.findLast((line) => line.trim() !== '')
  )?.trim();
}

/** A frame of a trace, the end of an object that was printed, or what Node says last of all. */
const NOISE = /^\s+at |^\s*[{}^~[\]]+,?\s*$|^Node\.js v\d|^npm (?:error|ERR!) (?:A complete log|.*_logs)|^\s+\w+: .*,$/;

/** `TypeError: …`, `panic: …`, `error: …`, at the start of its line. */
const ERROR = /^\s*(?:Uncaught )?(?:[A-Za-z.]*(?:Error|Exception)\b[^:]{0,40}|panic|fatal|error)\s*:/i;
