/** Every app-server method that Switchboard uses. A test compares them with the bindings that Codex generates. */

export const CLIENT_METHODS = [
  'initialize',
  'thread/start',
  'thread/resume',
  'thread/fork',
  'thread/read',
  'thread/list',
  'thread/loaded/list',
  'thread/turns/list',
  'thread/name/set',
  'thread/unsubscribe',
  'thread/backgroundTerminals/clean',
  'turn/start',
  'turn/steer',
  'turn/interrupt',
  'review/start',
  'config/read',
  'model/list',
  'account/read',
  'account/rateLimits/read',
] as const;

export type ClientMethod = (typeof CLIENT_METHODS)[number];

/** The server requests of Codex: all that its bindings define, so that every request gets a response. */
export const SERVER_REQUESTS = [
  'item/commandExecution/requestApproval',
  'item/fileChange/requestApproval',
  'item/permissions/requestApproval',
  'item/tool/requestUserInput',
  'item/tool/call',
  'mcpServer/elicitation/request',
  'account/chatgptAuthTokens/refresh',
  'attestation/generate',
  'currentTime/read',
  'applyPatchApproval',
  'execCommandApproval',
] as const;

export const NOTIFICATIONS = [
  'turn/started',
  'turn/completed',
  'turn/diff/updated',
  'turn/plan/updated',
  'item/started',
  'item/completed',
  'thread/tokenUsage/updated',
  'serverRequest/resolved',
  'thread/closed',
  'account/rateLimits/updated',
  'error',
  'warning',
] as const;

/**
 * Notifications with parts of texts and outputs. They are not needed, because the items contain the complete text.
 * Codex is asked not to send them, so that a session with much output costs nothing here.
 */
export const DELTA_NOTIFICATIONS = [
  'item/agentMessage/delta',
  'item/plan/delta',
  'item/reasoning/summaryTextDelta',
  'item/reasoning/summaryPartAdded',
  'item/reasoning/textDelta',
  'item/commandExecution/outputDelta',
  'item/fileChange/outputDelta',
  'item/fileChange/patchUpdated',
  'thread/status/changed',
] as const;
