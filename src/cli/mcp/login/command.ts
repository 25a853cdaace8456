import type { ReadStream } from 'node:tty';
import { createRecentTokens } from '../../../auth/credentials/recent-tokens.ts';
import { openBrowser } from '../../../auth/sign-in/browser.ts';
import { signIn, signInByDevice } from '../../../auth/sign-in/sign-in.ts';
import type { AuthRecord } from '../../../auth/store/auth-record.ts';
import { openAuthStore } from '../../../auth/store/auth-store.ts';
import { AppError, isAppError } from '../../../base/errors.ts';
import { redactError } from '../../../base/redaction/redact-error.ts';
import { quoteForShell } from '../../../base/text/shell-quote.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { addOption, commandFor } from '../../../config/next-command.ts';
import { createEntryRedactor } from '../../../config/secrets/config-redactor.ts';
import { createGuardedFetch, type GuardedFetch } from '../../../net/guarded-fetch.ts';
import { type CommandContext, environmentOf } from '../../command-context.ts';
import { forgetCatalogs } from './catalogs.ts';
import { withServerContext } from './failure.ts';
import { fetchChallenge } from './fetch-challenge.ts';
import { findLoginEntry, type LoginEntry } from './find-entry.ts';
import { type LoginArguments, parseLoginArguments } from './parse-arguments.ts';
import { readPastedLine } from './pasted-line.ts';
import { devicePrompt, replacedWarning, signedInDocument, signedInText, signInPrompt } from './text.ts';

type LoginContext = Pick<CommandContext, 'output' | 'env' | 'cwd' | 'home'>;

/**
 * Runs `switchboard mcp login <id>`: a person consents in a browser, and then every process of this user may use the
 * server. Without a terminal it does not wait, unless `--wait` is given: it prints the URL, and a later login starts
 * over, because nothing listens for the redirect of this one.
 */
export async function mcpLogin(
  args: readonly string[],
  context: LoginContext,
  input: Terminal = process.stdin,
): Promise<void> {
  await logIn(parseLoginArguments(args), context, input);
}

/** Signs in to a server and prints the result. Throws if the sign-in fails. */
export async function logIn(
  options: LoginArguments,
  context: LoginContext,
  input: Terminal = process.stdin,
): Promise<void> {
  const server = await findLoginEntry(options.id, context);
  const stop = new AbortController();
  const login = {
    options,
    server,
    context,
    input,
    isUnattended: !input.isTTY && !options.mustWait,
    stop,
    isPromptShown: false,
  };
  const timer = setTimeout(() => stop.abort(timeoutError(login)), options.timeoutMs);
  try {
    const record = await signInToServer(login);
    const { id, isJson } = options;
    if (record !== undefined) await forgetCatalogs(id, context);
    if (record === undefined) context.output.answer(noSignInText(options));
    else context.output.answer(isJson ? signedInDocument(id, record) : signedInText(id, record));
    if (record !== undefined && !isJson) context.output.report(`Next: ${commandFor('tools', server.entry.origin, id)}`);
  } catch (error) {
    // The abort reason is more specific than the error that it causes.
    const reason = stop.signal.aborted ? stop.signal.reason : error;
    if (!isAppError(reason) || reason.data?.['isAnswered'] !== true)
      throw withoutSecrets(withServerContext(reason, server.entry), server, context);
    process.exitCode = SIGN_IN_NEEDED;
  } finally {
    clearTimeout(timer);
  }
}

/** Masks secrets, because an authorization server may echo what it received. */
function withoutSecrets(error: unknown, { entry, url }: LoginEntry, context: LoginContext): unknown {
  if (!isAppError(error)) return error;
  const secrets = createEntryRedactor(environmentOf(context), entry);
  const tokens = createRecentTokens();
  try {
    tokens.add(openAuthStore(environmentOf(context)).read(entry.id, url));
  } catch {
    // An unreadable store contains nothing that could have been sent.
  }
  secrets.setTokenSource(tokens.all);
  return redactError(error, secrets);
}

type Terminal = Pick<ReadStream, 'isTTY'> & typeof process.stdin;

interface Login {
  readonly options: LoginArguments;
  readonly server: LoginEntry;
  readonly context: LoginContext;
  readonly input: Terminal;
  /** There is no person to wait for. */
  readonly isUnattended: boolean;
  readonly stop: AbortController;
  /** Whether the person has seen the instructions. */
  isPromptShown: boolean;
}

/** Signs in. Returns undefined when the server requires no sign-in. */
async function signInToServer(login: Login): Promise<AuthRecord | undefined> {
  const { options, server, context, input, isUnattended, stop } = login;
  const { id, scopes, callbackPort, isDevice } = options;
  const { url, oauth: settings } = server;
  const { signal } = stop;
  const fetch = withAbortSignal(signal, createGuardedFetch({ configuredUrl: url, env: context.env }));
  const { challenge, status } = await fetchChallenge(server, fetch);
  const store = openAuthStore(environmentOf(context));
  const isReplaced = store.ignoredReason(id, url) !== undefined;
  if (isReplaced && !isUnattended) context.output.report(replacedWarning(id));
  const common = { serverId: id, url, settings, store, fetch, now: Date.now, challenge, scopes, signal };
  try {
    if (isDevice) return await signInByDevice({ ...common, showCode: (code) => showCode(login, code) });
    const canPaste = input.isTTY && !isUnattended;
    return await signIn({
      ...common,
      callbackPort,
      reportError: context.output.report,
      show: (authUrl) => showAddress(login, authUrl),
      ...(canPaste ? { pasted: (over: AbortSignal) => readPastedLine(input, over) } : {}),
    });
  } catch (error) {
    if (!isAppError(error) || error.data?.['isSignInOffered'] !== false || status === 401) throw error;
    signal.throwIfAborted();
    await (await import('./open.ts')).connectWithoutSignIn(server.entry, context);
    return undefined;
  }
}

/** Aborts every request together with the sign-in. */
function withAbortSignal(end: AbortSignal, fetch: GuardedFetch): GuardedFetch {
  return (url, init = {}) => {
    const signal = init.signal === undefined ? end : AbortSignal.any([end, init.signal]);
    return fetch(url, { ...init, signal });
  };
}

/** Shows the authorization URL without waiting for the person. */
async function showAddress(login: Login, authUrl: string): Promise<void> {
  const { options, server, context, input, isUnattended } = login;
  const { id, hasBrowser } = options;
  login.isPromptShown = true;
  const { output, env } = context;
  if (isUnattended) {
    printAndStop(login, { authUrl, resume: resumeCommand(options, server) });
    return;
  }
  output.report(signInPrompt({ id, url: server.url, authUrl, hasBrowser, canPaste: input.isTTY }));
  if (!hasBrowser) return;
  const { platform } = process;
  const reason = await openBrowser(authUrl, { env, platform, configuredUrl: server.url });
  if (reason !== undefined)
    output.report(`Could not open a browser (${escapeInvisible(reason)}): visit the URL above.`);
}

interface Code {
  readonly userCode: string;
  readonly verificationUri: string;
  readonly verificationUriComplete: string | undefined;
}

function showCode(login: Login, code: Code): void {
  const { options, server, context, isUnattended } = login;
  login.isPromptShown = true;
  const { userCode, verificationUri, verificationUriComplete } = code;
  const shown = { userCode, verificationUri, verificationUriComplete };
  if (isUnattended) printAndStop(login, { ...shown, resume: resumeCommand(options, server) });
  else context.output.report(devicePrompt({ id: options.id, ...shown }));
}

/** Prints the answer of a login that does not wait, and ends it. */
function printAndStop(
  { context: { output }, options: { isJson }, stop }: Login,
  answer: Readonly<Record<string, unknown>> & { readonly resume: string },
): void {
  if (!isJson) output.report(`This command does not wait for the sign-in. Run: ${answer.resume}`);
  output.answer(escapeInvisible(JSON.stringify({ v: 1, ...answer })));
  stop.abort(
    new AppError('SIGN_IN_NEEDED', 'This command does not wait for the sign-in.', { data: { isAnswered: true } }),
  );
}

/** Exit status. */
const SIGN_IN_NEEDED = 3;

function resumeCommand({ isDevice, scopes, callbackPort }: LoginArguments, { command }: LoginEntry): string {
  const device = isDevice ? ' --device' : '';
  const wanted = scopes === undefined ? '' : ` --scopes ${quoteForShell(scopes.join(','))}`;
  const port = callbackPort === undefined ? '' : ` --callback-port ${callbackPort}`;
  return addOption(command, `${device}${wanted}${port} --wait`);
}

function timeoutError({ options, server, isPromptShown }: Login): AppError {
  const { id, timeoutMs } = options;
  const who = isPromptShown
    ? `The sign-in to ${quoteIfNeeded(id)} was not completed`
    : `${quoteIfNeeded(id)} did not report how to sign in`;
  const usesStaticClient = isPromptShown && server.oauth?.clientId !== undefined;
  const message = `${who} within ${timeoutMs / 1000} s. ${usesStaticClient ? REDIRECT_HINT : ''}Run it again: ${server.command}`;
  return new AppError('TIMED_OUT', message, { data: { server: id } });
}

const REDIRECT_HINT =
  'If the browser showed an error: the client in oauth.client_id must allow the redirect URL http://127.0.0.1:<port>/callback, with the port of --callback-port. ';

function noSignInText({ id, isJson }: LoginArguments): string {
  if (isJson) return escapeInvisible(JSON.stringify({ v: 1, server: id, signedIn: false }));
  return `${quoteIfNeeded(id)} does not require a sign-in.`;
}
