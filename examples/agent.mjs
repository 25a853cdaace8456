#!/usr/bin/env node
// An agent with all your MCP servers: node agent.mjs "question" "next question". Ctrl-C cancels. AGENT_MODEL names a module
// with a model; without it a stand-in calls the first tool whose name contains a word of the question.
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { createHost } from 'switchboard/host';

const { model = standIn } = process.env['AGENT_MODEL'] ? await import(process.env['AGENT_MODEL']) : {};
const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
const terminal = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
const gone = once(terminal, 'close');
const host = await createHost({ permissions: { confirm: askPerson } });
try {
  for (const question of process.argv.slice(2)) process.stdout.write(`${await answer(question, await host.tools())}\n`);
} finally {
  terminal.close();
  await host.close();
}
/** The loop knows nothing of MCP. @param {string} text @param {readonly import('switchboard/host').AgentTool[]} tools */
async function answer(text, tools) {
  for (const messages = [{ role: 'user', text }]; !stop.signal.aborted; ) {
    const { calls = [], ...said } = await model(messages, tools, stop.signal);
    if (calls.length === 0) return said.text;
    const run = (/** @type {any} */ { name, args }) => tools.find((tool) => tool.name === name)?.run(args, stop);
    messages.push(said, ...(await Promise.all(calls.map(run))));
  }
  process.exitCode = 130;
  return 'Cancelled.';
}
/** @param {import('switchboard/host').PermissionQuestion} question */
async function askPerson({ server, tool, argumentsText }) {
  const shown = `${server} wants to run ${tool} ${argumentsText}\nAllow it? y(es), n(o), a(lways): `;
  const said = await Promise.race([gone, terminal.question(shown, { signal: stop.signal })]);
  return said === 'a' ? { allow: true, remember: /** @type {const} */ ('tool') } : said === 'y';
}
/** @param {{ text: string }[]} messages @param {readonly { name: string }[]} tools */
function standIn([{ text }, ...later], tools) {
  const words = text.toLowerCase().match(/\w{3,}/g) ?? [];
  const tool = tools.find(({ name }) => words.some((word) => name.toLowerCase().includes(word)));
  return later.at(-1) ?? (tool ? { calls: [{ name: tool.name, args: {} }] } : { text: 'No tool fits.' });
}
