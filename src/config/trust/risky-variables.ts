/**
 * Returns what a variable controls, as text to display after it; empty for most. A project that sets the variable has
 * that control.
 */
export function describeVariableRisk(name: string): string {
  if (CODE_VARIABLES.test(name)) return ' (decides which code runs)';
  return CONNECTION_VARIABLES.test(name) ? ' (decides who can read what it sends)' : '';
}

/**
 * Variables by which the system, an interpreter or a package runner finds programs, libraries, startup files or
 * packages.
 */
const CODE_VARIABLES = new RegExp(
  `^(?:${[
    'PATH|HOME|SHELL|IFS|ENV|PS4|ZDOTDIR|PROMPT_COMMAND|BASH_.*|XDG_.*',
    'LD_.*|DYLD_.*|GCONV_PATH|OPENSSL_(?:CONF|MODULES|ENGINES)',
    'NODE_(?:OPTIONS|PATH)|ELECTRON_RUN_AS_NODE|DENO_.*|PYTHON.*|RUBY.*|PERL.*|PHPRC|PHP_INI_SCAN_DIR|LUA_.*',
    'CLASSPATH|.*JAVA_(?:TOOL_)?OPTIONS|DOTNET_STARTUP_HOOKS',
    'EDITOR|VISUAL|PAGER|BROWSER|LESSOPEN|LESSCLOSE|GIT_.*|SSH_ASKPASS',
    '(?:npm|pnpm|uv|pip|yarn|bun|corepack)_.*',
  ].join('|')})$`,
  'i',
);

/** Proxies, certificate authorities, and the file for TLS session keys. */
const CONNECTION_VARIABLES =
  /^(?:(?:https?|all)_proxy|NODE_EXTRA_CA_CERTS|NODE_TLS_REJECT_UNAUTHORIZED|SSL_CERT_.*|SSLKEYLOGFILE|(?:REQUESTS|CURL)_CA_BUNDLE)$/i;
