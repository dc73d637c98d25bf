module beltway.dev/client

go 1.18
