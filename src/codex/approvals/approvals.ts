import { randomHex } from '../../base/digest.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import type { AskedQuestion } from '../engine.ts';
import type { Session } from '../sessions/session.ts';
import type { Question } from './approval-request.ts';
import type { Asker } from './prompter.ts';

/** A question that waits for an answer, in the session that asks it. */
export interface PendingQuestion {
  /** Cannot be guessed: whoever has it was shown the question. */
  readonly id: string;
  readonly question: Question;
  readonly askedAt: number;
  /** The person behind the client is looking at it now; if they do not answer, `codex_respond` may. */
  readonly isBeingAsked: boolean;
}

export interface Answered {
  /** Something that went wrong on the way and did not keep the answer from its place. */
  readonly warning: string | undefined;
}

export interface ApprovalOptions {
  /** After so long without an answer it is a refusal. */
  readonly timeoutMs: number;
  /** Who may decide: whoever answers first, only a person who is asked by the client, or nobody. */
  readonly deciders: Deciders;
  /** Whether a caller may change the user's own Codex for good. */
  readonly allowsPermanent: boolean;
  /** Tells the model something in the running turn of the session. */
  readonly tell: (session: Session, text: string) => Promise<void>;
  readonly log: { info(text: string): void; debug(text: string): void };
}

export type Deciders = 'any' | 'user' | 'none';

/** A person who is asked has this long before somebody else may answer; never more than half of the whole time. */
const MAX_ASKING_MS = 120_000;
/** So many answered ids are remembered, to tell a second answer from one that was never asked for. */
const MAX_SETTLED = 1000;

/** The questions of all sessions that wait for an answer: each is settled exactly once, by whoever comes first. */
export class Approvals {
  readonly #options: ApprovalOptions;
  readonly #open = new Map<string, Waiting>();
  readonly #settled = new Map<string, string>();

  constructor(options: ApprovalOptions) {
    this.#options = options;
  }

  /** Takes a question of Codex: the client is asked where it can be, and the question waits in its session. */
  add(session: Session, asked: AskedQuestion): void {
    const { timeoutMs, log, deciders } = this.#options;
    const { question } = asked;
    const isUndecidable = deciders === 'none' || (deciders === 'user' && session.asker === undefined);
    if (isUndecidable) {
      log.info(`session ${session.id}: ${question.type} refused: nobody may decide it (--approvals ${deciders})`);
      session.warn(
        `What Codex asked for was refused: the operator of this server lets nobody here decide it (--approvals ${deciders}).`,
      );
      asked.answer(question.refusal);
      return;
    }
    const pending = { id: `approval_${randomHex(16)}`, question, askedAt: Date.now(), isBeingAsked: false };
    const timer = setTimeout(() => this.#expire(waiting), timeoutMs).unref();
    const waiting = {
      pending,
      session,
      asked,
      timer,
      asking: new AbortController(),
      isDeciding: false,
      wasAsked: false,
    };
    this.#open.set(pending.id, waiting);
    session.questions.push(pending);
    asked.withdrawn.addEventListener('abort', () => this.#settle(waiting, undefined, 'withdrawn by Codex'), {
      once: true,
    });
    log.info(`session ${session.id}: ${question.type} is asked`);
    if (session.asker !== undefined) void this.#ask(waiting, session.asker);
    session.changed();
  }

  /** Answers by `codex_respond`. What it throws has changed nothing. */
  async answer(session: Session, id: string, answers: readonly string[]): Promise<Answered> {
    const waiting = this.#open.get(id);
    if (waiting === undefined || waiting.session !== session) throw notPending(session, id, this.#settled.get(id));
    if (this.#options.deciders === 'user')
      throw new AppError(
        'DENIED',
        'Only a person whom the client asks may decide this: what is approved runs outside of the sandbox, and the operator of this server has set limits (--approvals any would let a caller decide).',
      );
    return this.#decide(waiting, answers, CALLER);
  }

  /** Asks what nobody has been asked yet, through a call that happens to be open. Each question once. */
  askThrough(session: Session, asker: Asker): void {
    for (const waiting of this.#of(session)) if (!waiting.wasAsked) void this.#ask(waiting, asker);
  }

  /** Refuses everything that waits in the session, in the way that ends its turn. */
  cancelAll(session: Session): void {
    for (const waiting of this.#of(session))
      this.#settle(waiting, waiting.pending.question.cancellation, 'cancelled by an interrupt');
  }

  #of(session: Session): readonly Waiting[] {
    return [...this.#open.values()].filter((waiting) => waiting.session === session);
  }

  async #ask(waiting: Waiting, asker: Asker): Promise<void> {
    const { pending, session, asking } = waiting;
    const { timeoutMs, log } = this.#options;
    waiting.wasAsked = true;
    pending.isBeingAsked = true;
    try {
      const limits = { timeoutMs: Math.min(MAX_ASKING_MS, timeoutMs / 2), signal: asking.signal };
      const verdict = await asker.ask(pending.question, limits);
      if (verdict.kind === 'answers') await this.#decide(waiting, verdict.answers, 'the client');
      if (verdict.kind === 'refused') this.#settle(waiting, pending.question.refusal, 'refused by the client');
    } catch (error) {
      log.debug(`session ${session.id}: the client gave no answer: ${messageOf(error)}`);
    } finally {
      pending.isBeingAsked = false;
      if (this.#open.has(pending.id)) session.changed();
    }
  }

  async #decide(waiting: Waiting, answers: readonly string[], by: string): Promise<Answered> {
    const { pending, session } = waiting;
    if (waiting.isDeciding)
      throw new AppError('BAD_ARGUMENTS', `The approval ${pending.id} is being answered already. Nothing was changed.`);
    waiting.isDeciding = true;
    try {
      const { response, note, summary, isPermanent } = await pending.question.decide(answers);
      if (isPermanent === true && by === CALLER && !this.#options.allowsPermanent) throw tooFar(summary);
      const warning = note === undefined ? undefined : await this.#passOn(session, summary, note);
      // The interrupt refuses every open question as soon as the turn has ended.
      if (session.isInterrupting) throw interrupting(pending.id);
      if (this.#settle(waiting, response, `answered with ${summary} by ${by}`)) return { warning };
      throw settledError(pending.id, this.#settled.get(pending.id));
    } finally {
      waiting.isDeciding = false;
    }
  }

  /** Before the answer: the model then reads both in the same step. */
  async #passOn(session: Session, summary: string, note: string): Promise<string | undefined> {
    try {
      await this.#options.tell(
        session,
        `${summary.startsWith('approve') ? 'Approved, with a note' : 'Denied'}: ${note}`,
      );
      return undefined;
    } catch (error) {
      return `The note could not be told to the model: ${messageOf(error)}`;
    }
  }

  #expire(waiting: Waiting): void {
    if (!this.#settle(waiting, waiting.pending.question.refusal, 'refused, because nobody answered in time')) return;
    const seconds = Math.round(this.#options.timeoutMs / 1000);
    waiting.session.warn(`An approval was refused, because nobody answered within ${seconds} s (APPROVAL_TIMEOUT_MS).`);
  }

  /** The first who settles it wins; false for all later ones. */
  #settle({ pending, session, asked, timer, asking }: Waiting, response: unknown, how: string): boolean {
    if (!this.#open.delete(pending.id)) return false;
    clearTimeout(timer);
    asking.abort();
    remember(this.#settled, pending.id, how);
    session.questions.splice(session.questions.indexOf(pending), 1);
    this.#options.log.info(`session ${session.id}: ${pending.question.type} ${how}`);
    asked.answer(response);
    session.changed();
    return true;
  }
}

interface Waiting {
  readonly pending: { -readonly [Member in keyof PendingQuestion]: PendingQuestion[Member] };
  readonly session: Session;
  readonly asked: AskedQuestion;
  /** Aborted when nobody has to be asked any more. */
  readonly asking: AbortController;
  isDeciding: boolean;
  wasAsked: boolean;
  readonly timer: NodeJS.Timeout;
}

const CALLER = 'codex_respond';

function tooFar(option: string): AppError {
  const text = `${option} would change the user's own Codex for good. A person may choose it when the client asks them; a caller only when the operator allows it: switchboard codex --allow-dangerous. Choose approve or approve_session.`;
  return new AppError('DENIED', text);
}

function interrupting(id: string): AppError {
  const text = `The session is being interrupted, so ${id} is refused. Nothing was changed.`;
  return new AppError('BAD_ARGUMENTS', text);
}

function notPending(session: Session, id: string, how: string | undefined): AppError {
  if (how !== undefined) return settledError(id, how);
  const ids = session.questions.map((question) => question.id);
  const rest = ids.length === 0 ? 'Nothing is pending in this session.' : `Pending in this session: ${ids.join(', ')}.`;
  return new AppError('BAD_ARGUMENTS', `No approval ${id} is pending. ${rest}`);
}

function settledError(id: string, how: string | undefined): AppError {
  return new AppError('BAD_ARGUMENTS', `The approval ${id} is no longer pending: it was ${how}. Nothing was changed.`);
}

function remember(settled: Map<string, string>, id: string, how: string): void {
  settled.set(id, how);
  const [oldest] = settled.keys();
  if (settled.size > MAX_SETTLED && oldest !== undefined) settled.delete(oldest);
}
