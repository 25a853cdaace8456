import { statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../../base/errors.ts';
import { isObject, type JsonObject } from '../../../wire/messages.ts';
import { mergeConfig } from '../../settings/merge-config.ts';
import { needsSignIn, notSignedInError } from '../sign-in.ts';
import type { AppServerClient } from './client.ts';

export interface SignInOptions {
  readonly client: Pick<AppServerClient, 'request'>;
  /** Stops the running Codex, so that the next request starts a new one. Returns false if it is still in use. */
  stopIfIdle(): Promise<boolean>;
  readonly log: { debug(text: string): void };
}

/** `stale`: the stored sign-in may have changed, but the running Codex is in use and cannot be replaced yet. */
export type SignInState = 'fine' | 'missing' | 'stale';

/** Codex responds from memory, so a short timeout is enough. */
const READ_TIMEOUT_MS = 3_000;

/**
 * Refuses a session that would fail after some seconds of retries because the user is not signed in. Codex reads its
 * sign-in only when it starts, so after `codex login` an idle Codex is replaced.
 */
export class SignIn {
  readonly #options: SignInOptions;
  /** The environment of the running Codex. */
  #env: Readonly<Record<string, string | undefined>> = {};
  /** The state of the stored sign-in when the running Codex was started. */
  #authFileVersion: string | undefined;
  /** The version of config.toml at which the running Codex last reported that no sign-in is missing. */
  #signedInConfigVersion: string | undefined;

  constructor(options: SignInOptions) {
    this.#options = options;
  }

  /** Resets the known state. Call it when Codex is being started, with its environment. */
  started(env: Readonly<Record<string, string | undefined>>): void {
    this.#env = env;
    this.#authFileVersion = this.#versionOf('auth.json');
    this.#signedInConfigVersion = undefined;
  }

  /** Returns the sign-in state of Codex. If the stored sign-in has changed, replaces an idle Codex first. */
  async state(): Promise<SignInState> {
    // Codex keeps its account while it runs. To respond again, it would read its whole configuration.
    if (this.#signedInConfigVersion === this.#versionOf('config.toml')) return 'fine';
    if (!(await this.#lacksAccount())) return 'fine';
    if (!(await this.#mayHaveChanged())) return 'missing';
    if (!(await this.#options.stopIfIdle())) return 'stale';
    return (await this.#lacksAccount()) ? 'missing' : 'fine';
  }

  /** Throws for a session that would fail. `config` is the session's own and overrides that of its folder. */
  async assertSignedIn(
    state: SignInState,
    { cwd, config }: { readonly cwd?: string | undefined; readonly config: JsonObject },
  ) {
    if (state === 'fine') return;
    const env = this.#env;
    if (!needsSignIn(mergeConfig(await this.#configOf(cwd), config), env)) return;
    throw notSignedInError(env, { isStale: state === 'stale' });
  }

  /** Returns false if Codex does not respond: the session is then attempted. */
  async #lacksAccount(): Promise<boolean> {
    const config = this.#versionOf('config.toml');
    try {
      const account = await this.#options.client.request('account/read', { refreshToken: false }, READ_TIMEOUT_MS);
      const lacks = account['account'] === null && account['requiresOpenaiAuth'] === true;
      this.#signedInConfigVersion = lacks ? undefined : config;
      return lacks;
    } catch (error) {
      this.#options.log.debug(`account/read: ${messageOf(error)}`);
      return false;
    }
  }

  async #mayHaveChanged(): Promise<boolean> {
    if (this.#authFileVersion !== this.#versionOf('auth.json')) return true;
    // Changes in the system keyring cannot be detected.
    const { cli_auth_credentials_store: store } = await this.#configOf(undefined);
    return store === 'keyring' || store === 'auto';
  }

  /** Returns a value that changes whenever a file in CODEX_HOME changes. Empty if there is no such file. */
  #versionOf(name: string): string {
    const { CODEX_HOME: home = '' } = this.#env;
    try {
      const { ino, mtimeMs, size } = statSync(join(home, name));
      return `${ino} ${mtimeMs} ${size}`;
    } catch {
      // There is no such file: the user is not signed in, the sign-in is in the system keyring, or nothing is
      // configured.
      return '';
    }
  }

  async #configOf(cwd: string | undefined): Promise<JsonObject> {
    const { config } = await this.#options.client.request('config/read', { cwd: cwd || null });
    return isObject(config) ? config : {};
  }
}
