/**
 * Returns whether every configured server inherits this variable of our own environment. Programs need these variables
 * to run at all. Keys and tokens are not among them, because a server is third-party code and gets only what its entry
 * gives it.
 */
export function isAllowedVariable(name: string, platform: NodeJS.Platform): boolean {
  if (platform !== 'win32') return ANYWHERE.has(name) || PATTERNS.some((pattern) => pattern.test(name));
  // Windows does not distinguish case in names.
  const upper = name.toUpperCase();
  return ANYWHERE.has(upper) || WINDOWS.has(upper) || PATTERNS.some((pattern) => pattern.test(upper));
}

const ANYWHERE: ReadonlySet<string> = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TERM',
  'LANG',
  'TZ',
  'TMPDIR',
  'NODE_EXTRA_CA_CERTS',
]);

/** Exact names only: other names with these endings may hold anything. */
const PROXY = /^(?:(?:HTTPS?|ALL|NO)_PROXY|(?:https?|all|no)_proxy)$/;

const PATTERNS: readonly RegExp[] = [/^LC_/, /^XDG_/, /^SSL_CERT_/, PROXY];

const WINDOWS: ReadonlySet<string> = new Set([
  'ALLUSERSPROFILE',
  'APPDATA',
  'COMMONPROGRAMFILES',
  'COMMONPROGRAMFILES(X86)',
  'COMMONPROGRAMW6432',
  'COMPUTERNAME',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'NUMBER_OF_PROCESSORS',
  'OS',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'PROGRAMW6432',
  'PSMODULEPATH',
  'PUBLIC',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERDOMAIN',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
]);
