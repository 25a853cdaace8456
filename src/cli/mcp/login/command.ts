import type { ReadStream } from 'node:tty';
import { createKnownTokens } from '../../../auth/credentials/recent-tokens.ts';
import { readPastedLine } from '../../../auth/pasted-callback.ts';
import { openBrowser } from '../../../auth/sign-in/browser.ts';
import { signIn, signInByDevice } from '../../../auth/sign-in/sign-in.ts';
import type { AuthRecord } from '../../../auth/store/auth-record.ts';
import { openAuthStore } from '../../../auth/store/auth-store.ts';
import { AppError, isAppError } from '../../../base/errors.ts';
import { redactError } from '../../../base/redaction/redact-error.ts';
import { shellWord } from '../../../base/text/shell-quote.ts';
import { visible, visibleWord } from '../../../base/text/visible-text.ts';
import { addOption } from '../../../config/next-command.ts';
import { secretsOfEntry } from '../../../config/secrets/config-redactor.ts';
import { createGuardedFetch, type GuardedFetch } from '../../../net/guarded-fetch.ts';
import type { CommandContext } from '../../main.ts';
import { forgetCatalogs } from './catalogs.ts';
import { aboutServer } from './failure.ts';
import { askForChallenge } from './fetch-challenge.ts';
import { findLoginEntry, type LoginEntry } from './find-entry.ts';
import { type LoginArguments, readLoginArguments } from './parse-arguments.ts';
import { deviceText, invitationText, replacedText, signedInDocument, signedInText } from './text.ts';

type LoginContext = Pick<CommandContext, 'output' | 'env' | 'cwd' | 'home'>;

/**
 * `switchboard mcp login <id>`: a person agrees in a browser, and from then on every process of this user may use the
 * server. Without a terminal nobody waits, unless `--wait` says so: the address is the answer, and a later login begins
 * anew, because nobody listens for the end of this one.
 */
export async function mcpLogin(
  args: readonly string[],
  context: LoginContext,
  input: Terminal = process.stdin,
): Promise<void> {
  const asked = readLoginArguments(args);
  const server = await findLoginEntry(asked.id, context);
  const stop = new AbortController();
  const login = { asked, server, context, input, isAlone: !input.isTTY && !asked.mustWait, stop, isInvited: false };
  const timer = setTimeout(() => stop.abort(tooLate(login)), asked.timeoutMs);
  try {
    const record = await perform(login);
    const { id, isJson } = asked;
    if (record !== undefined) await forgetCatalogs(id, context);
    if (record === undefined) context.output.answer(openText(asked));
    else context.output.answer(isJson ? signedInDocument(id, record) : signedInText(id, record));
  } catch (error) {
    // Why it was given up says more than what was given up.
    const reason = stop.signal.aborted ? stop.signal.reason : error;
    if (!isAppError(reason) || reason.data?.['isAnswered'] !== true)
      throw withoutSecrets(aboutServer(reason, server.entry), server, context);
    process.exitCode = SIGN_IN_NEEDED;
  } finally {
    clearTimeout(timer);
  }
}

/** An authorization server may repeat what it was sent. */
function withoutSecrets(error: unknown, { entry, url }: LoginEntry, context: LoginContext): unknown {
  if (!isAppError(error)) return error;
  const secrets = secretsOfEntry(context.env, entry);
  const tokens = createKnownTokens();
  try {
    tokens.learn(openAuthStore({ ...context, platform: process.platform }).read(entry.id, url));
  } catch {
    // A store that cannot be read has nothing that could have been sent.
  }
  secrets.learnTokens(tokens.all);
  return redactError(error, secrets);
}

type Terminal = Pick<ReadStream, 'isTTY'> & typeof process.stdin;

interface Login {
  readonly asked: LoginArguments;
  readonly server: LoginEntry;
  readonly context: LoginContext;
  readonly input: Terminal;
  /** Nobody is there who could be waited for. */
  readonly isAlone: boolean;
  readonly stop: AbortController;
  /** The person knows what to do. */
  isInvited: boolean;
}

/** Undefined when there is nothing to sign in to, and no need. */
async function perform(login: Login): Promise<AuthRecord | undefined> {
  const { asked, server, context, input, isAlone, stop } = login;
  const { id, scopes, callbackPort, isDevice } = asked;
  const { url, oauth: settings } = server;
  const { signal } = stop;
  const fetch = endedBy(signal, createGuardedFetch({ configuredUrl: url, env: context.env }));
  const { challenge, status } = await askForChallenge(server, fetch);
  const store = openAuthStore({ ...context, platform: process.platform });
  const isReplaced = store.whyIgnored(id, url) !== undefined;
  if (isReplaced && !isAlone) context.output.complain(replacedText(id));
  const common = { serverId: id, url, settings, store, fetch, now: Date.now, challenge, scopes, signal };
  try {
    if (isDevice) return await signInByDevice({ ...common, showCode: (code) => showCode(login, code) });
    const canPaste = input.isTTY && !isAlone;
    return await signIn({
      ...common,
      callbackPort,
      complain: context.output.complain,
      show: (authUrl) => showAddress(login, authUrl),
      ...(canPaste ? { pasted: (over: AbortSignal) => readPastedLine(input, over) } : {}),
    });
  } catch (error) {
    if (!isAppError(error) || error.data?.['isSignInOffered'] !== false || status === 401) throw error;
    signal.throwIfAborted();
    await (await import('./open.ts')).enterWithoutSignIn(server.entry, context);
    return undefined;
  }
}

/** Every request of a sign-in ends with it. */
function endedBy(end: AbortSignal, fetch: GuardedFetch): GuardedFetch {
  return (url, init = {}) => {
    const signal = init.signal === undefined ? end : AbortSignal.any([end, init.signal]);
    return fetch(url, { ...init, signal });
  };
}

/** Does not wait for the person. */
async function showAddress(login: Login, authUrl: string): Promise<void> {
  const { asked, server, context, input, isAlone, stop } = login;
  const { id, hasBrowser } = asked;
  login.isInvited = true;
  const { output, env } = context;
  if (isAlone) {
    answerAlone(context, stop, { authUrl, resume: resumeCommand(asked, server) });
    return;
  }
  output.complain(invitationText({ id, url: server.url, authUrl, hasBrowser, canPaste: input.isTTY }));
  if (!hasBrowser) return;
  const { platform } = process;
  const reason = await openBrowser(authUrl, { env, platform, configuredUrl: server.url });
  if (reason !== undefined)
    output.complain(`No browser could be opened (${visible(reason)}): visit the address above.`);
}

interface Code {
  readonly userCode: string;
  readonly verificationUri: string;
  readonly verificationUriComplete: string | undefined;
}

function showCode(login: Login, code: Code): void {
  const { asked, server, context, isAlone, stop } = login;
  login.isInvited = true;
  const { userCode, verificationUri, verificationUriComplete } = code;
  const shown = { userCode, verificationUri, verificationUriComplete };
  if (isAlone) answerAlone(context, stop, { ...shown, resume: resumeCommand(asked, server) });
  else context.output.complain(deviceText({ id: asked.id, ...shown }));
}

/** The answer of a login that nobody waits for. */
function answerAlone({ output }: LoginContext, stop: AbortController, answer: Readonly<Record<string, unknown>>): void {
  output.answer(visible(JSON.stringify({ v: 1, ...answer })));
  stop.abort(new AppError('SIGN_IN_NEEDED', 'Nobody waits for this sign-in.', { data: { isAnswered: true } }));
}

/** The exit status. */
const SIGN_IN_NEEDED = 3;

function resumeCommand({ isDevice, scopes, callbackPort }: LoginArguments, { command }: LoginEntry): string {
  const device = isDevice ? ' --device' : '';
  const wanted = scopes === undefined ? '' : ` --scopes ${shellWord(scopes.join(','))}`;
  const port = callbackPort === undefined ? '' : ` --callback-port ${callbackPort}`;
  return addOption(command, `${device}${wanted}${port} --wait`);
}

function tooLate({ asked, server, isInvited }: Login): AppError {
  const { id, timeoutMs } = asked;
  const who = isInvited ? `Nobody signed in to ${visibleWord(id)}` : `${visibleWord(id)} did not say how to sign in`;
  const isByHand = isInvited && server.oauth?.clientId !== undefined;
  const message = `${who} within ${timeoutMs / 1000} s. ${isByHand ? BY_HAND : ''}Run it again: ${server.command}`;
  return new AppError('TIMED_OUT', message, { data: { server: id } });
}

const BY_HAND =
  'If the browser showed an error: the client of oauth.client_id must allow the address it comes back to, http://127.0.0.1:<port>/callback, with the port of --callback-port. ';

function openText({ id, isJson }: LoginArguments): string {
  if (isJson) return visible(JSON.stringify({ v: 1, server: id, signedIn: false }));
  return `${visibleWord(id)} answers without a sign-in: there is nothing to do.`;
}
