/** Where the API begins, below the instance's address. */
export const apiRoot = '/api/v4'
