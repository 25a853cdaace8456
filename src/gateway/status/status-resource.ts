/** Where a client reads how its servers are, because what we write to stderr is hidden from it. */
export const STATUS_URI = 'switchboard://status';

/** Our own resource, as it stands in `resources/list`. */
export const statusResource = JSON.stringify({
  uri: STATUS_URI,
  name: 'switchboard-status',
  title: 'Status of the MCP servers behind this gateway',
  description:
    'Each server with its state, the reason, the next command to run, and tools that were renamed or left out.',
  mimeType: 'application/json',
});
