/**
 * The most relevant line of stderr: why a process ended. Usually its last; but runtimes put a trace and their own version
 * after the line that matters, programs their usage and advice, and package managers advertising. Undefined when no line
 * gives a reason.
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

/** Rules and frames of boxes have none. */
const HAS_WORDS = /[\p{L}\p{N}]/u;

/** A frame of a trace, the end of an object that was printed, what Node says last of all, and what npm adds. */
const NOISE =
  /^\s+at |^\s*[{}^~[\]]+,?\s*$|^Node\.js v\d|^npm (?:notice|warn)\b|^npm (?:error|ERR!) (?:A complete log|.*_logs|code |errno |syscall |path |\d+\s*$|\d+ (?:Note that|tarball,))|^\s+\w+: .*,$/i;

/** `npm error 404 Not Found - GET …`: the first of them says what is missing. */
const NPM_ERROR = /^npm (?:error|ERR!) \S/;

/** `TypeError: …`, `panic: …`, `error: …`, at the start of its line. */
const ERROR = /^\s*(?:Uncaught )?(?:[A-Za-z.]*(?:Error|Exception)\b[^:]{0,40}|panic|fatal|error)\s*:/i;

/** A server that says that it works says nothing about why it ended. */
const BANNER = /\b(?:running|listening|started|ready|connected)\b/i;
const FAILURE =
  /\b(?:fail\w*|errors?|not|no|cannot|unable|missing|already|invalid|denied|refused|required|running (?:out|into))\b/i;
/** A program goes on after a warning. */
const WARNING = /\bwarn(?:ing)?\b/i;
