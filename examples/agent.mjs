#!/usr/bin/env node
// An agent with all your MCP servers: node agent.mjs "question" "next question". Ctrl-C cancels. AGENT_MODEL names a
// module with a model; without it a stand-in calls the first tool whose name contains a word of the question.
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { createHost } from 'switchboard/host';

const { model = standIn } = process.env['AGENT_MODEL'] ? await import(process.env['AGENT_MODEL']) : {};
const stop = new AbortController();
const { signal } = stop;
const terminal = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
const gone = once(terminal, 'close');
process.once('SIGINT', () => stop.abort());
const host = await createHost({ permissions: { confirm: askPerson } });
try {
  for (const text of process.argv.slice(2)) process.stdout.write(`${await run(text, await host.tools({ signal }))}\n`);
} catch (error) {
  if (!signal.aborted) throw error;
  process.exitCode = 130;
} finally {
  terminal.close();
  await host.close();
}

/** Knows nothing of MCP. @param {string} text @param {readonly import('switchboard/host').AgentTool[]} tools */
async function run(text, tools) {
  for (const messages = [{ role: 'user', text }]; ; signal.throwIfAborted()) {
    const reply = await model(messages, tools, signal);
    if (reply.calls === undefined) return reply.text;
    const results = reply.calls.map(async (/** @type {{ name: string, args: unknown }} */ { name, args }) => {
      const tool = tools.find((one) => one.name === name);
      return { role: 'tool', name, ...((await tool?.run(args, { signal })) ?? { text: 'There is no such tool.' }) };
    });
    messages.push(reply, ...(await Promise.all(results)));
  }
}

async function askPerson(/** @type {import('switchboard/host').PermissionQuestion} */ { server, tool, argumentsText }) {
  const shown = `${server} wants to run ${tool} ${argumentsText}\nAllow it? y(es), n(o), a(lways): `;
  const said = await Promise.race([gone, terminal.question(shown, { signal })]);
  return said === 'a' ? { allow: true, remember: /** @type {const} */ ('tool') } : said === 'y';
}

/** @param {{ text: string }[]} messages @param {readonly { name: string }[]} tools */
function standIn([{ text }, ...later], tools) {
  const tool = tools.find(({ name }) => text.split(/\W+/).some((word) => word.length > 2 && name.includes(word)));
  return later.at(-1) ?? (tool ? { calls: [{ name: tool.name, args: {} }] } : { text: 'No tool fits.' });
}
