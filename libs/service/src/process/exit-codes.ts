/** The settings are wrong (EX_CONFIG): starting again as it is can not help. */
export const EXIT_CONFIGURATION = 78;
