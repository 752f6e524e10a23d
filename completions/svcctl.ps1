# PowerShell completion for svcctl. Load it with: svcctl completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName svcctl -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursorPosition } |
        Select-Object -Skip 1 | ForEach-Object { $_.Extent.Text })
    if ($wordToComplete -eq '') { $words += '' }
    $env:SVC_NO_PROMPT = '1'
    $lines = @(& svcctl __complete powershell -- @words 2>$null)
    Remove-Item Env:SVC_NO_PROMPT
    if ($lines -contains ':file') { return }
    $lines | Where-Object { -not $_.StartsWith(':') } | ForEach-Object {
        $value, $text = $_ -split "`t", 2
        if (-not $text) { $text = $value }
        [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $text)
    }
}
