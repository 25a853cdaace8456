import { isAppError, messageOf } from '../../base/errors.ts';
import type {
  Engine,
  ForkRequest,
  OpenGuards,
  ReviewTarget,
  SayRequest,
  SessionSettings,
  StartRequest,
  TurnInput,
  TurnRef,
} from '../engine.ts';
import type { ListQuery, ReadQuery } from '../storage/stored-session.ts';
import { isUnknownMethod } from './app-server/protocol/failures.ts';

export interface FallbackEngineOptions {
  readonly appServer: Engine;
  readonly exec: Engine;
  /** Returns whether the installed Codex has no usable app-server. Throws if it is too old for any engine. */
  readonly lacksAppServer: () => Promise<boolean>;
  readonly log: { warn(text: string): void };
}

/** Uses the app-server engine, and switches to the exec engine once it turns out that this Codex has no app-server. */
export class FallbackEngine implements Engine {
  readonly #options: FallbackEngineOptions;
  #current: Engine;
  /** True after the first success. From then on, a failure is no reason to switch. */
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

  open(settings: SessionSettings, guards?: OpenGuards) {
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

  /** Falls back to the exec engine, because stored sessions can be read without Codex. */
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
        log.warn(`This Codex has no app-server (${messageOf(error)}): sessions use codex exec.`);
      this.#current = exec;
      await appServer.close();
      return run(exec);
    }
  }
}

/** Returns whether the app-server exited before its first response, or does not support sessions. */
function suggestsNoAppServer(error: unknown): boolean {
  if (isUnknownMethod(error)) return true;
  if (!isAppError(error)) return false;
  // During the backoff after a crash, the engine names the crash as the cause. Other BUSY errors have none.
  return error.code === 'PROCESS_EXITED' || (error.code === 'BUSY' && isAppError(error.cause));
}
