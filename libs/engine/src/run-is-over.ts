/** What work that is left over hears when its run has ended without it. Nobody is told of it. */
export const runIsOver = new Error('The run is over.');
