/** Numbers for people. */

/** 4213 as `4,213`. */
export const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',')
