import { errorTable } from '../../src/base/error-table.ts';
import type { ErrorCode } from '../../src/base/errors.ts';
import { type Counter, createCounter } from './counter.ts';
import type { Misbehavior } from './plan.ts';
import { CALL_TIMEOUT_MS } from './servers.ts';

/** One call, with everything needed to judge its response. */
export interface SentCall {
  /** Unique across all clients. The server records it in its journal. */
  readonly n: number;
  readonly client: string;
  readonly server: string;
  readonly nonce: string;
  readonly habit: Misbehavior | undefined;
  readonly bytes: number;
  readonly sentAt: number;
  /** A call goes to this version of the server or to a later one. */
  readonly version: number;
}

/** A period in which calls to a server may fail with certain codes because of an injected fault. */
export interface Fault {
  readonly server: string;
  readonly codes: readonly ErrorCode[];
  readonly from: number;
  until: number;
  /** Whether the server cannot respond during this period, so that calls may time out. */
  readonly isUnresponsive: boolean;
}

export interface ResponseChecker {
  readonly results: Counter;
  readonly errors: Counter;
  readonly violations: readonly string[];
  fault(fault: Fault): Fault;
  result(call: SentCall, body: unknown, newestVersion: number): void;
  error(call: SentCall, code: number, message: string): void;
  /** Checks that there are no more errors than the faults can explain, given the pending calls per server. */
  checkTotals(callsAtServer: number): void;
  violation(what: string): void;
}

const MAX_VIOLATIONS = 20;
/** Longer than any call takes. */
const FORGET_AFTER_MS = 60_000;

/** Judges every response: a result must be correct, and an injected fault must explain an error. */
export function createResponseChecker(now: () => number): ResponseChecker {
  const results = createCounter();
  const errors = createCounter();
  const violations: string[] = [];
  let faults: Fault[] = [];
  /** Forgotten faults that can fail other calls, and calls that failed because of any fault. */
  let harmfulFaults = 0;
  let failedCalls = 0;

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
    const standing = met.filter(({ isUnresponsive }) => isUnresponsive);
    const unresponsiveMs = standing.map(({ from, until }) => Math.min(until, now()) - Math.max(from, call.sentAt));
    return unresponsiveMs.reduce((sum, ms) => sum + ms, 0) > CALL_TIMEOUT_MS / 2;
  };

  return {
    results,
    errors,
    violations,
    violation,
    fault(fault) {
      const isOld = ({ until }: Fault) => until <= now() - FORGET_AFTER_MS;
      harmfulFaults += faults.filter(isOld).filter(canFailOtherCalls).length;
      faults = faults.filter((known) => !isOld(known));
      faults.push(fault);
      return fault;
    },
    result(call, body, newestVersion) {
      results.add(call.habit ?? 'plain');
      const wrong = findMismatch(call, body, newestVersion);
      if (wrong !== undefined) violation(`${nameOf(call)}: ${wrong}`);
    },
    error(call, code, message) {
      if (call.habit === 'refuse' && code === REFUSED && message.includes(call.nonce)) return results.add('refuse');
      const name = CODES.get(code);
      errors.add(name ?? String(code));
      if (name !== 'TOOL_NOT_FOUND' && call.habit === undefined) failedCalls++;
      // A config change must not affect a running call.
      const wasInterrupted = message.includes('is being stopped');
      if (wasInterrupted || !isExplained(call, name))
        violation(`${nameOf(call)}: nothing explains ${name ?? code}: ${message}`);
    },
    checkTotals(callsAtServer) {
      const all = harmfulFaults + faults.filter(canFailOtherCalls).length;
      const most = all * callsAtServer;
      if (failedCalls > most) violation(`${failedCalls} calls failed, but ${all} faults explain at most ${most}`);
    },
  };
}

/** Returns whether a fault can fail other calls than the one that carries it. */
function canFailOtherCalls({ codes, from, until }: Fault): boolean {
  return codes.length > 0 || until - from >= CALL_TIMEOUT_MS;
}

const REFUSED = -32050;
/** TOOL_NOT_FOUND shares its number with codes that cannot occur here. */
const CODES: ReadonlyMap<number, ErrorCode> = new Map(
  [...Object.entries(errorTable()), ['TOOL_NOT_FOUND', errorTable().TOOL_NOT_FOUND] as const].map(([code, { rpc }]) => [
    rpc,
    code as ErrorCode,
  ]),
);

const UNANSWERED: ReadonlySet<Misbehavior | undefined> = new Set<Misbehavior>(['hang', 'die', 'half', 'refuse']);

function findMismatch(call: SentCall, body: unknown, newestVersion: number): string | undefined {
  if (UNANSWERED.has(call.habit)) return 'got a response that its server never sent';
  const { nonce, server, version, pad } = body as Readonly<Record<string, unknown>>;
  if (nonce !== call.nonce) return `the answer is for ${nonce}`;
  if (server !== call.server) return `${server} answered`;
  if (typeof pad !== 'string' || pad.length !== call.bytes) return 'the response is incomplete';
  if (typeof version === 'number' && version >= call.version && version <= newestVersion) return undefined;
  return `version ${version} responded, but the call was sent to ${call.version}`;
}

function nameOf({ client, n, server, habit }: SentCall): string {
  return `call ${n} of ${client} to ${server}${habit === undefined ? '' : ` (${habit})`}`;
}
