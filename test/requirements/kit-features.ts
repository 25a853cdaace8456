import type { Clause } from '../requirements.ts';

/** What kit servers offer besides tools. */
// biome-ignore format: a table, one clause per line
export const kitFeatures: readonly Clause[] = [
  { id: 'kit:prompts:defined', state: 'done', clause: 'A prompt defined with `server.prompt` gets validated arguments, in both eras.' },
  { id: 'kit:resources:defined', state: 'done', clause: 'Resources and templates defined with `server.resource` and `server.resourceTemplate` are listed and read, in both eras.' },
  { id: 'kit:completion:values', state: 'done', clause: 'The arguments of prompts and the variables of templates are completed from lists, enums and functions.' },
  { id: 'kit:changes:announced', state: 'done', clause: 'Changes of prompts and resources are announced once, to the clients that asked for them.' },
  { id: 'kit:sampling:answer', state: 'done', clause: 'A handler asks the model of its client with `context.sample`, in both eras.' },
  { id: 'kit:roots:list', state: 'done', clause: 'A handler gets the roots of its client with `context.roots`, in both eras.' },
  { id: 'kit:features:lazy', state: 'done', clause: 'A tool server that defines no prompts and resources, and asks its client for nothing, does not load their code.' },
];
