import { randomHex } from '../../base/digest.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import { setBounded } from '../../base/set-bounded.ts';
import type { IncomingApproval } from '../engine.ts';
import type { Session } from '../sessions/session.ts';
import type { PendingApproval } from './pending-approval.ts';
import type { ApprovalPrompter } from './prompter.ts';

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

/** Settles the pending approvals, which the sessions own. Each is settled exactly once: the first response wins. */
export class Approvals {
  readonly #options: ApprovalOptions;
  readonly #settled = new Map<string, string>();

  constructor(options: ApprovalOptions) {
    this.#options = options;
  }

  /** Adds a request of Codex to its session, and prompts the client if possible. Resolves with Codex's response. */
  add(session: Session, incoming: IncomingApproval): Promise<unknown> {
    const { log, deciders } = this.#options;
    const { request } = incoming;
    const canPrompt = session.prompter !== undefined || session.canPromptInCalls;
    const isUndecidable = deciders === 'none' || (deciders === 'user' && !canPrompt);
    if (isUndecidable) {
      log.info(`session ${session.id}: ${request.type} ${this.#undecidable()}`);
      this.#warnUndecidable(session);
      return Promise.resolve(request.refusal);
    }
    return new Promise((respond) => {
      const approval: PendingApproval = {
        ...incoming,
        id: `approval_${randomHex(16)}`,
        requestedAt: Date.now(),
        isPrompting: false,
        wasPrompted: false,
        isDeciding: false,
        promptController: new AbortController(),
        timer: setTimeout(() => this.#expire(session, approval), this.#options.timeoutMs).unref(),
        respond,
      };
      session.pendingApprovals.push(approval);
      log.info(`session ${session.id}: ${request.type} requested`);
      const prompter = findPrompter(session);
      if (prompter !== undefined) void this.#prompt(session, approval, prompter);
      session.notifyChanged();
    });
  }

  /** Answers through `codex_respond`. If it throws, nothing has changed. */
  async answer(session: Session, id: string, answers: readonly string[]): Promise<AnswerOutcome> {
    const approval = session.pendingApprovals.find((pending) => pending.id === id);
    if (approval === undefined) throw notPendingError(session, id, this.#settled.get(id));
    if (this.#options.deciders === 'user')
      throw new AppError(
        'DENIED',
        'Only the user may decide this, prompted by the client: an approved action runs outside of the sandbox, and the operator of this server has set limits (--approvals any would let a caller decide).',
      );
    return this.#decide(session, approval, { answers, source: 'caller' });
  }

  /** Prompts for each request without a prompt so far, through a call that is in progress. Never prompts twice. */
  promptThrough(session: Session, prompter: ApprovalPrompter): void {
    for (const approval of [...session.pendingApprovals])
      if (!approval.wasPrompted) void this.#prompt(session, approval, prompter);
  }

  /** Refuses every pending request of the session with a response that ends its turn. */
  cancelAll(session: Session): void {
    for (const approval of [...session.pendingApprovals])
      this.#settle(session, approval, approval.request.cancellation, 'cancelled by an interrupt');
  }

  /** Refuses the requests that Codex no longer waits for. Codex ignores the response, but every request gets one. */
  withdraw(session: Session, isWithdrawn: (approval: IncomingApproval) => boolean): void {
    for (const approval of session.pendingApprovals.filter(isWithdrawn))
      this.#settle(session, approval, approval.request.refusal, 'withdrawn by Codex');
  }

  async #prompt(session: Session, approval: PendingApproval, prompter: ApprovalPrompter): Promise<void> {
    const { request, promptController } = approval;
    const { timeoutMs, deciders, log } = this.#options;
    approval.wasPrompted = true;
    approval.isPrompting = true;
    try {
      const limits = { timeoutMs: Math.min(MAX_PROMPT_MS, timeoutMs / 2), signal: promptController.signal };
      const outcome = await prompter.prompt(request, limits);
      if (outcome.kind === 'answers')
        await this.#decide(session, approval, { answers: outcome.answers, source: 'client' });
      if (outcome.kind === 'refused') this.#settle(session, approval, request.refusal, 'refused by the client');
      if (outcome.kind === 'unsupported' && deciders === 'user') this.#refuseUndecidable(session, approval);
    } catch (error) {
      log.debug(`session ${session.id}: the client gave no answer: ${messageOf(error)}`);
    } finally {
      approval.isPrompting = false;
      if (session.pendingApprovals.includes(approval)) session.notifyChanged();
    }
  }

  async #decide(
    session: Session,
    approval: PendingApproval,
    { answers, source }: { readonly answers: readonly string[]; readonly source: AnswerSource },
  ): Promise<AnswerOutcome> {
    const { id, request } = approval;
    if (approval.isDeciding)
      throw new AppError('BAD_ARGUMENTS', `The approval ${id} is already being answered. Nothing was changed.`);
    approval.isDeciding = true;
    try {
      const { response, note, summary, isApproval, isPermanent } = await request.decide(answers);
      if (isPermanent === true && source === 'caller' && !this.#options.allowsPermanent)
        throw permanentChangeDenied(summary);
      const warning =
        note === undefined
          ? undefined
          : await this.#sendNote(session, isApproval ? 'Approved, with a note' : 'Denied', note);
      // The interrupt refuses every pending request as soon as the turn has ended.
      if (session.isInterrupting) throw beingInterruptedError(id);
      if (this.#settle(session, approval, response, `answered with ${summary} by ${SOURCE_NAMES[source]}`))
        return { warning };
      throw settledError(id, this.#settled.get(id));
    } finally {
      approval.isDeciding = false;
    }
  }

  /** Sends the note before the response, so that the model reads both in the same step. */
  async #sendNote(session: Session, heading: string, note: string): Promise<string | undefined> {
    try {
      await this.#options.sendToModel(session, `${heading}: ${note}`);
      return undefined;
    } catch (error) {
      return `The note could not be sent to the model: ${messageOf(error)}`;
    }
  }

  #refuseUndecidable(session: Session, approval: PendingApproval): void {
    if (this.#settle(session, approval, approval.request.refusal, this.#undecidable())) this.#warnUndecidable(session);
  }

  #undecidable(): string {
    return `refused: nobody may approve it (--approvals ${this.#options.deciders})`;
  }

  #warnUndecidable(session: Session): void {
    session.warn(
      `A request from Codex was refused: the operator of this server lets nobody here approve it (--approvals ${this.#options.deciders}).`,
    );
  }

  #expire(session: Session, approval: PendingApproval): void {
    if (!this.#settle(session, approval, approval.request.refusal, 'refused because nobody answered in time')) return;
    const seconds = Math.round(this.#options.timeoutMs / 1000);
    session.warn(`An approval was refused because nobody answered within ${seconds} s (APPROVAL_TIMEOUT_MS).`);
  }

  /** Settles the request. The first call wins; later calls return false. */
  #settle(session: Session, approval: PendingApproval, response: unknown, how: string): boolean {
    const index = session.pendingApprovals.indexOf(approval);
    if (index === -1) return false;
    session.pendingApprovals.splice(index, 1);
    clearTimeout(approval.timer);
    approval.promptController.abort();
    setBounded(this.#settled, approval.id, how, MAX_SETTLED);
    this.#options.log.info(`session ${session.id}: ${approval.request.type} ${how}`);
    approval.respond(response);
    session.notifyChanged();
    return true;
  }
}

/** Prefers a call that waits for the session, because over HTTP the client is reading its response. */
function findPrompter(session: Session): ApprovalPrompter | undefined {
  const { prompter, waitingCalls } = session;
  if (prompter?.isPartOfCall === true) return prompter;
  const waiting = [...waitingCalls].find(({ client }) => session.isPrompted(client));
  return waiting?.prompter ?? (prompter?.canPrompt?.() === false ? undefined : prompter);
}

/** Who has answered: a caller, through `codex_respond`, or a person whom the client prompted. */
type AnswerSource = 'caller' | 'client';

const SOURCE_NAMES: Readonly<Record<AnswerSource, string>> = { caller: 'codex_respond', client: 'the client' };

function permanentChangeDenied(option: string): AppError {
  const text = `${option} would permanently change the user's own Codex. The user may choose it when prompted by the client; a caller may choose it only if the operator allows it: switchboard codex --allow-dangerous. Choose approve or approve_session.`;
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
