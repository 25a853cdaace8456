import { randomHex } from '../../base/digest.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import type { IncomingApproval } from '../engine.ts';
import type { Session } from '../sessions/session.ts';
import type { ApprovalRequest } from './approval-request.ts';
import type { ApprovalPrompter } from './prompter.ts';

/** An approval request that waits for a response, in the session that it belongs to. */
export interface PendingApproval {
  /** Unguessable: a caller that has the id was shown the request. */
  readonly id: string;
  readonly request: ApprovalRequest;
  readonly askedAt: number;
  /** True while the client shows a prompt to its user. If the user does not respond, `codex_respond` may. */
  readonly isPrompting: boolean;
}

export interface AnswerOutcome {
  /** A problem that did not keep the response from reaching Codex. */
  readonly warning: string | undefined;
}

export interface ApprovalOptions {
  /** A request without a response is refused after this time. */
  readonly timeoutMs: number;
  /** Who may decide: the first to respond, only a person whom the client prompts, or nobody. */
  readonly deciders: Deciders;
  /** Whether a caller may change the user's own Codex permanently. */
  readonly allowsPermanent: boolean;
  /** Sends a text to the model in the running turn of the session. */
  readonly sendToModel: (session: Session, text: string) => Promise<void>;
  readonly log: { info(text: string): void; debug(text: string): void };
}

export type Deciders = 'any' | 'user' | 'none';

/** How long a prompted person has before another caller may respond. Never more than half of the whole timeout. */
const MAX_PROMPT_MS = 120_000;
/** How many settled ids are kept, to distinguish a second response from one to an unknown id. */
const MAX_SETTLED = 1000;

/** The pending approval requests of all sessions. Each is settled exactly once: the first response wins. */
export class Approvals {
  readonly #options: ApprovalOptions;
  readonly #pending = new Map<string, ApprovalEntry>();
  readonly #settled = new Map<string, string>();

  constructor(options: ApprovalOptions) {
    this.#options = options;
  }

  /** Adds a request of Codex to its session, and prompts the client if it can be prompted. */
  add(session: Session, incoming: IncomingApproval): void {
    const { timeoutMs, log, deciders } = this.#options;
    const { request } = incoming;
    const isUndecidable = deciders === 'none' || (deciders === 'user' && session.prompter === undefined);
    if (isUndecidable) {
      log.info(`session ${session.id}: ${request.type} refused: nobody may decide it (--approvals ${deciders})`);
      session.warn(
        `What Codex asked for was refused: the operator of this server lets nobody here decide it (--approvals ${deciders}).`,
      );
      incoming.respond(request.refusal);
      return;
    }
    const approval = { id: `approval_${randomHex(16)}`, request, askedAt: Date.now(), isPrompting: false };
    const timer = setTimeout(() => this.#expire(entry), timeoutMs).unref();
    const entry = {
      approval,
      session,
      incoming,
      timer,
      promptController: new AbortController(),
      isDeciding: false,
      wasPrompted: false,
    };
    this.#pending.set(approval.id, entry);
    session.pendingApprovals.push(approval);
    incoming.withdrawn.addEventListener('abort', () => this.#settle(entry, undefined, 'withdrawn by Codex'), {
      once: true,
    });
    log.info(`session ${session.id}: ${request.type} is asked`);
    if (session.prompter !== undefined) void this.#prompt(entry, session.prompter);
    session.notifyChanged();
  }

  /** Answers through `codex_respond`. If it throws, nothing has changed. */
  async answer(session: Session, id: string, answers: readonly string[]): Promise<AnswerOutcome> {
    const entry = this.#pending.get(id);
    if (entry === undefined || entry.session !== session) throw notPendingError(session, id, this.#settled.get(id));
    if (this.#options.deciders === 'user')
      throw new AppError(
        'DENIED',
        'Only a person whom the client asks may decide this: what is approved runs outside of the sandbox, and the operator of this server has set limits (--approvals any would let a caller decide).',
      );
    return this.#decide(entry, answers, RESPOND_TOOL);
  }

  /** Prompts for each request without a prompt so far, through a call that is in progress. Never prompts twice. */
  promptThrough(session: Session, prompter: ApprovalPrompter): void {
    for (const entry of this.#pendingIn(session)) if (!entry.wasPrompted) void this.#prompt(entry, prompter);
  }

  /** Refuses every pending request of the session with a response that ends its turn. */
  cancelAll(session: Session): void {
    for (const entry of this.#pendingIn(session))
      this.#settle(entry, entry.approval.request.cancellation, 'cancelled by an interrupt');
  }

  #pendingIn(session: Session): readonly ApprovalEntry[] {
    return [...this.#pending.values()].filter((entry) => entry.session === session);
  }

  async #prompt(entry: ApprovalEntry, prompter: ApprovalPrompter): Promise<void> {
    const { approval, session, promptController } = entry;
    const { timeoutMs, log } = this.#options;
    entry.wasPrompted = true;
    approval.isPrompting = true;
    try {
      const limits = { timeoutMs: Math.min(MAX_PROMPT_MS, timeoutMs / 2), signal: promptController.signal };
      const outcome = await prompter.prompt(approval.request, limits);
      if (outcome.kind === 'answers') await this.#decide(entry, outcome.answers, 'the client');
      if (outcome.kind === 'refused') this.#settle(entry, approval.request.refusal, 'refused by the client');
    } catch (error) {
      log.debug(`session ${session.id}: the client gave no answer: ${messageOf(error)}`);
    } finally {
      approval.isPrompting = false;
      if (this.#pending.has(approval.id)) session.notifyChanged();
    }
  }

  async #decide(entry: ApprovalEntry, answers: readonly string[], by: string): Promise<AnswerOutcome> {
    const { approval, session } = entry;
    if (entry.isDeciding)
      throw new AppError(
        'BAD_ARGUMENTS',
        `The approval ${approval.id} is being answered already. Nothing was changed.`,
      );
    entry.isDeciding = true;
    try {
      const { response, note, summary, isPermanent } = await approval.request.decide(answers);
      if (isPermanent === true && by === RESPOND_TOOL && !this.#options.allowsPermanent)
        throw permanentChangeDenied(summary);
      const warning = note === undefined ? undefined : await this.#sendNote(session, summary, note);
      // The interrupt refuses every pending request as soon as the turn has ended.
      if (session.isInterrupting) throw beingInterruptedError(approval.id);
      if (this.#settle(entry, response, `answered with ${summary} by ${by}`)) return { warning };
      throw settledError(approval.id, this.#settled.get(approval.id));
    } finally {
      entry.isDeciding = false;
    }
  }

  /** Sends the note before the response, so that the model reads both in the same step. */
  async #sendNote(session: Session, summary: string, note: string): Promise<string | undefined> {
    try {
      await this.#options.sendToModel(
        session,
        `${summary.startsWith('approve') ? 'Approved, with a note' : 'Denied'}: ${note}`,
      );
      return undefined;
    } catch (error) {
      return `The note could not be told to the model: ${messageOf(error)}`;
    }
  }

  #expire(entry: ApprovalEntry): void {
    if (!this.#settle(entry, entry.approval.request.refusal, 'refused, because nobody answered in time')) return;
    const seconds = Math.round(this.#options.timeoutMs / 1000);
    entry.session.warn(`An approval was refused, because nobody answered within ${seconds} s (APPROVAL_TIMEOUT_MS).`);
  }

  /** Settles the request. The first call wins; later calls return false. */
  #settle(
    { approval, session, incoming, timer, promptController }: ApprovalEntry,
    response: unknown,
    how: string,
  ): boolean {
    if (!this.#pending.delete(approval.id)) return false;
    clearTimeout(timer);
    promptController.abort();
    remember(this.#settled, approval.id, how);
    session.pendingApprovals.splice(session.pendingApprovals.indexOf(approval), 1);
    this.#options.log.info(`session ${session.id}: ${approval.request.type} ${how}`);
    incoming.respond(response);
    session.notifyChanged();
    return true;
  }
}

interface ApprovalEntry {
  readonly approval: { -readonly [Member in keyof PendingApproval]: PendingApproval[Member] };
  readonly session: Session;
  readonly incoming: IncomingApproval;
  /** Aborts when the prompt is no longer needed. */
  readonly promptController: AbortController;
  isDeciding: boolean;
  wasPrompted: boolean;
  readonly timer: NodeJS.Timeout;
}

const RESPOND_TOOL = 'codex_respond';

function permanentChangeDenied(option: string): AppError {
  const text = `${option} would change the user's own Codex for good. A person may choose it when the client asks them; a caller only when the operator allows it: switchboard codex --allow-dangerous. Choose approve or approve_session.`;
  return new AppError('DENIED', text);
}

function beingInterruptedError(id: string): AppError {
  const text = `The session is being interrupted, so ${id} is refused. Nothing was changed.`;
  return new AppError('BAD_ARGUMENTS', text);
}

function notPendingError(session: Session, id: string, how: string | undefined): AppError {
  if (how !== undefined) return settledError(id, how);
  const ids = session.pendingApprovals.map((approval) => approval.id);
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
