/** Every method of the app-server that we use. A test compares them with the bindings that Codex itself generates. */

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

/** What Codex may ask of us: all that its bindings know, so that nothing is ever left without an answer. */
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
 * Pieces of texts and outputs: nobody reads them, because the items bring the whole. Codex is asked not to send them, and
 * a session that floods costs us nothing.
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
