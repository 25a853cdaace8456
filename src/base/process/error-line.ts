/**
 * Returns the most relevant line of stderr: the reason why a process exited. This is usually the last line, but
 * runtimes print a stack trace and their version after it, programs their usage and advice, and package managers
 * advertising. Undefined when no line gives a reason.
 */
export function findErrorLine(lines: readonly string[]): string | undefined {
  const candidates = lines.filter((line) => HAS_WORDS.test(line) && !NOISE.test(line));
  const line =
    candidates.findLast((one) => ERROR.test(one)) ??
    candidates.find((one) => NPM_ERROR.test(one)) ??
    candidates.findLast((one) => FAILURE.test(one) && !WARNING.test(one)) ??
    candidates.findLast((one) => !BANNER.test(one) || FAILURE.test(one));
  return line?.trim();
}

/** Horizontal rules and box borders contain neither letters nor digits. */
const HAS_WORDS = /[\p{L}\p{N}]/u;

/** Stack frames, parts of a printed object, Node's version line, and the lines that npm adds. */
const NOISE =
  /^\s+at |^\s*[{}^~[\]]+,?\s*$|^Node\.js v\d|^npm (?:notice|warn)\b|^npm (?:error|ERR!) (?:A complete log|.*_logs|code |errno |syscall |path |\d+\s*$|\d+ (?:Note that|tarball,))|^\s+\w+: .*,$/i;

/** `npm error 404 Not Found - GET …`: the first such line names the missing package. */
const NPM_ERROR = /^npm (?:error|ERR!) \S/;

/** `TypeError: …`, `panic: …`, `error: …`, at the start of its line. */
const ERROR = /^\s*(?:Uncaught )?(?:[A-Za-z.]*(?:Error|Exception)\b[^:]{0,40}|panic|fatal|error)\s*:/i;

/** A startup message does not explain why the process exited. */
const BANNER = /\b(?:running|listening|started|ready|connected)\b/i;
const FAILURE =
  /\b(?:fail\w*|errors?|not|no|cannot|unable|missing|already|invalid|denied|refused|required|running (?:out|into))\b/i;
/** A program keeps running after a warning. */
const WARNING = /\bwarn(?:ing)?\b/i;
