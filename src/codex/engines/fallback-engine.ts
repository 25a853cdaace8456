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
  TurnRef,
} from '../engine.ts';
import { isUnknownMethod } from './app-server/protocol/failures.ts';

export interface FallbackEngineOptions {
  readonly appServer: Engine;
  readonly exec: Engine;
  /** Whether the Codex that there is has no app-server that we could use. Throws when it is too old for anything. */
  readonly lacksAppServer: () => Promise<boolean>;
  readonly log: { warn(text: string): void };
}

/** The app-server, as long as this Codex has one; the exec engine from the moment that it turns out not to. */
export class FallbackEngine implements Engine {
  readonly #options: FallbackEngineOptions;
  #current: Engine;
  /** It has worked once, so that a failure is a failure and no reason to choose again. */
  #hasWorked = false;

  constructor(options: FallbackEngineOptions) {
    this.#options = options;
    this.#current = options.appServer;
  }

  get name() {
    return this.#current.name;
  }

  get unsupported() {
    return this.#current.unsupported;
  }

  start(request: StartRequest) {
    return this.#run((engine) => engine.start(request));
  }

  say(request: SayRequest) {
    return this.#run((engine) => engine.say(request));
  }

  open(settings: SessionSettings, guards?: Parameters<Engine['open']>[1]) {
    return this.#run((engine) => engine.open(settings, guards));
  }

  fork(request: ForkRequest) {
    return this.#run((engine) => engine.fork(request));
  }

  list(query: ListQuery) {
    return this.#runReadable((engine) => engine.list(query));
  }

  read(query: ReadQuery) {
    return this.#runReadable((engine) => engine.read(query));
  }

  models() {
    return this.#run((engine) => engine.models());
  }

  rateLimits() {
    return this.#run((engine) => engine.rateLimits());
  }

  review(sessionId: string, target: ReviewTarget) {
    return this.#current.review(sessionId, target);
  }

  steer(turn: TurnRef, input: TurnInput) {
    return this.#current.steer(turn, input);
  }

  interrupt(turn: TurnRef, signal: AbortSignal) {
    return this.#current.interrupt(turn, signal);
  }

  stopCommands(sessionId: string) {
    return this.#current.stopCommands(sessionId);
  }

  killIfUnresponsive(withinMs: number) {
    return this.#current.killIfUnresponsive(withinMs);
  }

  async close(): Promise<void> {
    await Promise.all([this.#options.appServer.close(), this.#options.exec.close()]);
  }

  /** What is stored can be read without any Codex. */
  async #runReadable<Result>(run: (engine: Engine) => Promise<Result>): Promise<Result> {
    try {
      return await this.#run(run);
    } catch (error) {
      if (!isAppError(error) || error.code !== 'CODEX_MISSING') throw error;
      return run(this.#options.exec);
    }
  }

  async #run<Result>(run: (engine: Engine) => Promise<Result>): Promise<Result> {
    const engine = this.#current;
    try {
      const result = await run(engine);
      this.#hasWorked = true;
      return result;
    } catch (error) {
      const { appServer, exec, log } = this.#options;
      if (this.#hasWorked || engine !== appServer || !suggestsNoAppServer(error)) throw error;
      if (!(await this.#options.lacksAppServer())) throw error;
      if (this.#current === appServer)
        log.warn(`This Codex has no app-server (${messageOf(error)}): sessions run by codex exec.`);
      this.#current = exec;
      await appServer.close();
      return run(exec);
    }
  }
}

/** It ended before it said a word, or knows nothing of sessions. */
function suggestsNoAppServer(error: unknown): boolean {
  return isUnknownMethod(error) || (isAppError(error) && (error.code === 'PROCESS_EXITED' || error.code === 'BUSY'));
}
