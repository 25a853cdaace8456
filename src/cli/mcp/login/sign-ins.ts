/** Loaded as one part, because both commands need the OAuth code. */
export { logIn, mcpLogin } from './command.ts';
export { logOut, mcpLogout, signedOutText } from './logout.ts';
