import { isAppError, messageOf } from '../../base/errors.ts';
import type {
  Engine,
  ForkRequest,
  ListQuery,
  ReadQuery,
  ReviewTarget,
  SayRequest,
  SessionSettings,
  StartRequest,
  TurnInput,
  TurnName,
} from '../engine.ts';
import { isUnknownMethod } from './app-server/failures.ts';

export interface EngineChoice {
  readonly appServer: Engine;
  readonly openExec: () => Promise<Engine>;
  /** Whether the Codex that there is has no app-server that we could use. Throws when it is too old for anything. */
  readonly lacksAppServer: () => Promise<boolean>;
  /** Somebody has said so: the app-server is not even tried. */
  readonly isExecWanted: boolean;
  readonly log: { warn(text: string): void };
}

/** The app-server, as long as this Codex has one; the exec engine from the moment that it turns out not to. */
export class ChosenEngine implements Engine {
  readonly #choice: EngineChoice;
  #current: Engine;
  /** It has worked once, so that a failure is a failure and no reason to choose again. */
  #isProven = false;
  #changing: Promise<Engine> | undefined;

  constructor(choice: EngineChoice) {
    this.#choice = choice;
    this.#current = choice.appServer;
  }

  get name() {
    return this.#current.name;
  }

  get cannot() {
    return this.#current.cannot;
  }

  start(request: StartRequest) {
    return this.#use((engine) => engine.start(request));
  }

  say(request: SayRequest) {
    return this.#use((engine) => engine.say(request));
  }

  open(settings: SessionSettings) {
    return this.#use((engine) => engine.open(settings));
  }

  fork(request: ForkRequest) {
    return this.#use((engine) => engine.fork(request));
  }

  list(query: ListQuery) {
    return this.#use((engine) => engine.list(query));
  }

  read(query: ReadQuery) {
    return this.#use((engine) => engine.read(query));
  }

  models() {
    return this.#use((engine) => engine.models());
  }

  rateLimits() {
    return this.#use((engine) => engine.rateLimits());
  }

  review(sessionId: string, target: ReviewTarget) {
    return this.#current.review(sessionId, target);
  }

  steer(turn: TurnName, input: TurnInput) {
    return this.#current.steer(turn, input);
  }

  interrupt(turn: TurnName, signal: AbortSignal) {
    return this.#current.interrupt(turn, signal);
  }

  stopCommands(sessionId: string) {
    return this.#current.stopCommands(sessionId);
  }

  async close(): Promise<void> {
    await this.#changing?.catch(() => undefined);
    await this.#current.close();
  }

  async #use<Result>(run: (engine: Engine) => Promise<Result>): Promise<Result> {
    if (this.#choice.isExecWanted) return run(await this.#exec());
    const engine = this.#current;
    try {
      const result = await run(engine);
      this.#isProven = true;
      return result;
    } catch (error) {
      if (this.#isProven || engine !== this.#choice.appServer || !mayLack(error)) throw error;
      if (!(await this.#choice.lacksAppServer())) throw error;
      this.#choice.log.warn(`This Codex has no app-server (${messageOf(error)}): sessions run by codex exec.`);
      return run(await this.#exec());
    }
  }

  #exec(): Promise<Engine> {
    this.#changing ??= this.#change();
    return this.#changing;
  }

  async #change(): Promise<Engine> {
    const engine = await this.#choice.openExec();
    await this.#choice.appServer.close();
    this.#current = engine;
    return engine;
  }
}

/** It ended before it said a word, or knows nothing of sessions. */
function mayLack(error: unknown): boolean {
  return isUnknownMethod(error) || (isAppError(error) && (error.code === 'PROCESS_EXITED' || error.code === 'BUSY'));
}
