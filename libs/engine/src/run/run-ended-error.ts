/** The internal error of pending work after its run has ended. It is never reported. */
export const runEndedError = new Error('The run is over.');
