import { AppError } from '../../base/errors.ts';
import { quoteForShell } from '../../base/text/shell-quote.ts';
import type { JsonObject } from '../../wire/messages.ts';

type EnvVariables = Readonly<Record<string, string | undefined>>;

/**
 * Returns whether sessions with this configuration certainly fail without a sign-in, because they use OpenAI's own
 * service. Another provider or a proxy in front of OpenAI may need no key or add it itself.
 */
export function needsSignIn(config: JsonObject, env: EnvVariables): boolean {
  const { model_provider: provider, openai_base_url: address } = config;
  if (isText(address) || isText(env['OPENAI_BASE_URL'])) return false;
  return !isText(provider) || provider === 'openai';
}

/** Creates the error. `isStale` means that the sign-in has changed since the running Codex read it. */
export function notSignedInError(
  env: EnvVariables,
  { isStale = false }: { readonly isStale?: boolean } = {},
): AppError {
  if (isStale) {
    const text =
      'The Codex sign-in has changed, but the running Codex still uses the old one and has active sessions. Wait until they have ended, or interrupt them, then try again.';
    return new AppError('BUSY', text);
  }
  const login = loginCommand(env);
  const hint = isText(env['OPENAI_API_KEY'])
    ? ` Codex does not use OPENAI_API_KEY by itself. To sign in with it: printenv OPENAI_API_KEY | ${login} --with-api-key`
    : '';
  return new AppError('SIGN_IN_NEEDED', `Codex is not signed in, so the turn was not started. Run: ${login}${hint}`);
}

/** Returns the command that signs in. Uses the path in `CODEX_CLI_PATH`, because that Codex need not be in PATH. */
export function loginCommand({ CODEX_CLI_PATH: program = '' }: EnvVariables): string {
  return `${program === '' ? 'codex' : quoteForShell(program)} login`;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
