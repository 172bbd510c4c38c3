import { require } from './evidence.mjs';

export default {
  id: 'F10',
  title: 'every service is restarted in order, one by one',
  mustHold: 'failures that clients see 0; each exit code 0 within 30 s',
  async strike({ all, note, signal, isAlone }) {
    const exits = [];
    for (let round = 0; round < (isAlone ? 2 : 1) && !signal.aborted; round += 1)
      for (const service of all) {
        const { pid } = service;
        const started = Date.now();
        const { code, signal } = await service.terminate();
        exits.push({ name: service.name, code, signal, milliseconds: Date.now() - started });
        await service.up();
        require(service.pid !== pid, `${service.name} is still process ${pid}`);
        note(`${service.name} ended with ${signal ?? code} after ${Date.now() - started} ms and is back`);
      }
    return { exits };
  },
  limits: ({ figures, evidence: { exits } }) => [
    { what: 'failures that clients saw', limit: 0, value: figures.serverErrors + figures.broken },
    { what: 'exits other than 0', limit: 0, value: exits.filter(({ code }) => code !== 0).length },
    {
      what: 'longest way to the exit (ms)',
      limit: 30_000,
      value: Math.max(...exits.map(({ milliseconds }) => milliseconds)),
    },
  ],
};
