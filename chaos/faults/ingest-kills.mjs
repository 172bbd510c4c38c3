import { killServices } from './kill-services.mjs';

/** @import { Fault } from '../fault.ts' */

/** @type {Fault} */
export default {
  id: 'F2',
  title: 'ingests are killed',
  mustHold: '202s lost 0; no truncated answers; duplicates of retried ids 0',
  inject: (site) => killServices(site.ingests, site.isAlone ? 10 : 2, site),
  limits: ({ figures }) => [{ what: 'truncated answers', limit: 0, value: figures.halfAnswers }],
};
