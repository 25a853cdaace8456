import { errorTable } from '../../src/base/error-table.ts';
import type { ErrorCode } from '../../src/base/errors.ts';
import type { Habit } from './plan.ts';
import { CALL_TIMEOUT_MS } from './servers.ts';
import { createTally, type Tally } from './tally.ts';

/** One call, and all that its answer is measured by. */
export interface SentCall {
  /** Counted over all clients; the server writes it into its journal. */
  readonly n: number;
  readonly client: string;
  readonly server: string;
  readonly nonce: string;
  readonly habit: Habit | undefined;
  readonly bytes: number;
  readonly sentAt: number;
  /** A call goes to this version of the server or to a later one. */
  readonly version: number;
}

/** A time in which calls of a server may fail in certain ways, because we made it so. */
export interface Fault {
  readonly server: string;
  readonly codes: readonly ErrorCode[];
  readonly from: number;
  until: number;
  /** So long of this time the server cannot answer: calls that meet enough of it run out of time. */
  readonly isStanding: boolean;
}

export interface Judge {
  readonly results: Tally;
  readonly errors: Tally;
  readonly violations: readonly string[];
  fault(fault: Fault): Fault;
  result(call: SentCall, body: unknown, newestVersion: number): void;
  error(call: SentCall, code: number, message: string): void;
  /** There must not be more errors than the faults can have caused, when so many calls were under way with one server. */
  sumUp(callsAtServer: number): void;
  violation(what: string): void;
}

const MAX_VIOLATIONS = 20;
/** Longer than any call lives. */
const FORGET_AFTER_MS = 60_000;

/** Decides about every answer: a result is the right one, and an error is one that an injected fault explains. */
export function createJudge(now: () => number): Judge {
  const results = createTally();
  const errors = createTally();
  const violations: string[] = [];
  let faults: Fault[] = [];
  /** Of those that are forgotten, and calls that failed by any of them. */
  let hurtful = 0;
  let suffered = 0;

  const violation = (what: string) => {
    if (violations.length < MAX_VIOLATIONS) violations.push(what);
  };

  const isExplained = (call: SentCall, code: string | undefined): boolean => {
    const met = faults.filter(
      ({ server, from, until }) => server === call.server && from <= now() && until >= call.sentAt,
    );
    if (met.some(({ codes }) => codes.some((known) => known === code))) return true;
    if (code !== 'TIMED_OUT') return false;
    if (call.habit === 'hang') return true;
    const standing = met.filter(({ isStanding }) => isStanding);
    const stoodMs = standing.map(({ from, until }) => Math.min(until, now()) - Math.max(from, call.sentAt));
    return stoodMs.reduce((sum, ms) => sum + ms, 0) > CALL_TIMEOUT_MS / 2;
  };

  return {
    results,
    errors,
    violations,
    violation,
    fault(fault) {
      const isOld = ({ until }: Fault) => until <= now() - FORGET_AFTER_MS;
      hurtful += faults.filter(isOld).filter(isHurtful).length;
      faults = faults.filter((known) => !isOld(known));
      faults.push(fault);
      return fault;
    },
    result(call, body, newestVersion) {
      results.add(call.habit ?? 'plain');
      const wrong = whyWrong(call, body, newestVersion);
      if (wrong !== undefined) violation(`${nameOf(call)}: ${wrong}`);
    },
    error(call, code, message) {
      if (call.habit === 'refuse' && code === REFUSED && message.includes(call.nonce)) return results.add('refuse');
      const name = CODES.get(code);
      errors.add(name ?? String(code));
      if (name !== 'TOOL_NOT_FOUND' && call.habit === undefined) suffered++;
      // A call that its server works on is not touched by the config.
      const isCutOff = message.includes('is being stopped');
      if (isCutOff || !isExplained(call, name))
        violation(`${nameOf(call)}: nothing explains ${name ?? code}: ${message}`);
    },
    sumUp(callsAtServer) {
      const all = hurtful + faults.filter(isHurtful).length;
      const most = all * callsAtServer;
      if (suffered > most) violation(`${suffered} calls failed, and ${all} faults explain ${most} at most`);
    },
  };
}

/** It can fail more than the call that carries it. */
function isHurtful({ codes, from, until }: Fault): boolean {
  return codes.length > 0 || until - from >= CALL_TIMEOUT_MS;
}

const REFUSED = -32050;
/** TOOL_NOT_FOUND shares its number with others, which no call here can meet. */
const CODES: ReadonlyMap<number, ErrorCode> = new Map(
  [...Object.entries(errorTable()), ['TOOL_NOT_FOUND', errorTable().TOOL_NOT_FOUND] as const].map(([code, { rpc }]) => [
    rpc,
    code as ErrorCode,
  ]),
);

const UNANSWERED: ReadonlySet<Habit | undefined> = new Set<Habit>(['hang', 'die', 'half', 'refuse']);

function whyWrong(call: SentCall, body: unknown, newestVersion: number): string | undefined {
  if (UNANSWERED.has(call.habit)) return 'it was answered, though its server never did';
  const { nonce, server, version, pad } = body as Readonly<Record<string, unknown>>;
  if (nonce !== call.nonce) return `the answer is for ${nonce}`;
  if (server !== call.server) return `${server} answered`;
  if (typeof pad !== 'string' || pad.length !== call.bytes) return 'the answer is not whole';
  if (typeof version === 'number' && version >= call.version && version <= newestVersion) return undefined;
  return `version ${version} answered, and it was sent to ${call.version}`;
}

function nameOf({ client, n, server, habit }: SentCall): string {
  return `call ${n} of ${client} to ${server}${habit === undefined ? '' : ` (${habit})`}`;
}
