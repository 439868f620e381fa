module fingerpost.example/c

go 1.19
