/** The refresh of an OAuth token on its way, with the words of this tool for what fails. */
import { userAgent } from '../../../base/version.js'
import { type FormWay, postForm } from '../../../client/form.js'
import { worded } from '../instance/advice.js'

/**
 * Sends the form of an OAuth refresh; whatever answer comes is given back.
 * @throws Failure where none came
 */
export const sendForm = (
  url: string,
  form: Readonly<Record<string, string>>,
  way: Omit<FormWay, 'userAgent'>,
): ReturnType<typeof postForm> =>
  postForm(url, form, { ...way, userAgent }).catch((error: unknown) => {
    throw worded(error)
  })
