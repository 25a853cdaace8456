#!/usr/bin/env node
// An agent with all your MCP servers: node agent.mjs "question" "next question". Ctrl-C cancels. AGENT_MODEL names a
// module with a model; without it a stand-in calls the first tool whose name contains a word of the question.
import { createInterface } from 'node:readline';
import { createHost } from 'switchboard/host';

const { model = fallbackModel } = process.env['AGENT_MODEL'] ? await import(process.env['AGENT_MODEL']) : {};
const stop = new AbortController();
const { signal } = stop;
const terminal = createInterface({ input: process.stdin });
const lines = terminal[Symbol.asyncIterator](); // Buffers lines that arrive before a question is asked.
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

async function run(/** @type {string} */ text, /** @type {readonly import('switchboard/host').AgentTool[]} */ tools) {
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
  process.stderr.write(`${server} wants to run ${tool} ${argumentsText}\nAllow it? y(es), n(o), a(lways): `);
  const said = (await lines.next()).value?.trim().toLowerCase();
  if (said === undefined) throw new Error('nobody is there to answer');
  return /^a(lways)?$/.test(said) ? { allow: true, remember: /** @type {const} */ ('tool') } : /^y(es)?$/.test(said);
}

/** @param {[{ text: string }, ...object[]]} messages @param {{ name: string, origin?: { tool: string } }[]} tools */
function fallbackModel([{ text }, ...later], tools) {
  const tool = tools.find(({ origin }) => text.match(/\w{3,}/g)?.some((word) => origin?.tool.includes(word)));
  return later.at(-1) ?? (tool ? { calls: [{ name: tool.name, args: {} }] } : { text: 'No tool fits.' });
}
